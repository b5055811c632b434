import type { Storage } from '@graphiql/toolkit';
import { readFragment } from './fragment.ts';
import { readTabs, tabsToOpen } from './open-tabs.ts';
import { firstPaneView, type PaneView } from './response/pane-view.ts';
import { textOfDataset } from './selection.ts';
import type { Settings } from './settings.ts';
import { type TabText, variablesText } from './tab-text.ts';

/** The key of GraphiQL's tabs. */
export const TABS_KEY = 'graphiql:tabState';

/** The key of the fragment that belongs to the stored tabs. */
export const FRAGMENT_KEY = 'graphiql:fragment';

/** The key of the text that was run last. */
const RUN_KEY = 'graphiql:run';

/** GraphiQL's second copy of the open tab's text, beside its tabs. */
const openTabKeys = ['graphiql:query', 'graphiql:variables'];

/** What a link opens: the text of a tab, and the view of its response. */
export interface Link {
  readonly text: TabText;
  readonly view: PaneView;
}

/** GraphiQL's storage, and what it opens. */
export interface PageStorage {
  readonly storage: Storage;
  readonly opened: Link;
}

/**
 * GraphiQL's storage for its tabs and its layout, in the session storage of the browser's tab. So a reload keeps
 * everything, and a new page opens with the examples, even if another GraphiQL used this address before. A link opens its
 * query in a tab.
 *
 * GraphiQL fills its editors from a copy of the open tab's text. It stores the copy half a second before the tabs, and a
 * reload in between would open another tab for the copy. So this storage does not store the copy, but reads it from the tab.
 */
export function createStorage(settings: Settings, fragment: string): PageStorage {
  const examples = settings.examples.map(({ query, variables }) => ({ query, variables: variablesText(variables) }));
  // After a reload, the stored tabs are at least as new as the fragment: a change that came while it began is not in the fragment.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isReload = navigation?.type === 'reload' || fragment === (sessionStorage.getItem(FRAGMENT_KEY) ?? '');
  const link = linkOf(fragment, settings);
  const kept = readTabs(sessionStorage.getItem(TABS_KEY));
  const tabs = tabsToOpen(kept, examples, isReload ? undefined : link?.text);
  const active = tabs.tabs[tabs.activeTabIndex];
  const text = { query: active?.query ?? '', variables: active?.variables ?? '' };
  const initial: Record<string, string> = {
    // The relative sizes of the panes.
    'graphiql:docExplorerFlex': '0.75',
    'graphiql:editorFlex': '1',
    'graphiql:secondaryEditorFlex': '2',
    'graphiql:query': text.query,
    'graphiql:variables': text.variables,
  };
  sessionStorage.setItem(TABS_KEY, JSON.stringify(tabs));
  const storage: Storage = {
    getItem: (key) => sessionStorage.getItem(key) ?? initial[key] ?? null,
    setItem: (key, value) => {
      if (!openTabKeys.includes(key)) sessionStorage.setItem(key, value);
    },
    removeItem: (key) => sessionStorage.removeItem(key),
    clear: () => sessionStorage.clear(),
    get length() {
      return sessionStorage.length;
    },
  };
  return { storage, opened: { text, view: link?.view ?? firstPaneView } };
}

/** Notes that a text is run, so that a reload may run it again. */
export function markRun({ query, variables }: TabText): void {
  sessionStorage.setItem(RUN_KEY, JSON.stringify([query, variables]));
}

/** Whether this text was run last in this tab of the browser. */
export function wasRun({ query, variables }: TabText): boolean {
  return sessionStorage.getItem(RUN_KEY) === JSON.stringify([query, variables]);
}

/** What a link opens. Undefined if it is none. */
export function linkOf(fragment: string, { datasets, operations }: Settings): Link | undefined {
  const asked = readFragment(fragment);
  if (asked === undefined) return undefined;
  const { view } = asked;
  if ('tab' in asked) return { text: asked.tab, view };
  const { datasetId } = asked;
  const known = datasets.find(({ id }) => id === datasetId);
  return { text: textOfDataset(datasetId, known, operations), view };
}
