import type { Storage } from '@graphiql/toolkit';
import { readFragment } from './fragment.ts';
import { readTabs, tabsToOpen } from './open-tabs.ts';
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

/** GraphiQL's storage, and the text of the tab that it opens. */
export interface PageStorage {
  readonly storage: Storage;
  readonly opened: TabText;
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
  // After a reload, the stored tabs are at least as new as the fragment.
  const isReload = fragment === (sessionStorage.getItem(FRAGMENT_KEY) ?? '');
  const link = isReload ? undefined : linkedText(fragment, settings);
  const tabs = tabsToOpen(readTabs(sessionStorage.getItem(TABS_KEY)), examples, link);
  const active = tabs.tabs[tabs.activeTabIndex];
  const opened = { query: active?.query ?? '', variables: active?.variables ?? '' };
  const initial: Record<string, string> = {
    // The relative sizes of the panes.
    'graphiql:docExplorerFlex': '0.75',
    'graphiql:editorFlex': '1',
    'graphiql:secondaryEditorFlex': '2',
    'graphiql:query': opened.query,
    'graphiql:variables': opened.variables,
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
  return { storage, opened };
}

/** Notes that a text is run, so that a reload may run it again. */
export function markRun({ query, variables }: TabText): void {
  sessionStorage.setItem(RUN_KEY, JSON.stringify([query, variables]));
}

/** Whether this text was run last in this tab of the browser. */
export function wasRun({ query, variables }: TabText): boolean {
  return sessionStorage.getItem(RUN_KEY) === JSON.stringify([query, variables]);
}

/** The text that a link opens. */
export function linkedText(fragment: string, { datasets, operations }: Settings): TabText | undefined {
  const asked = readFragment(fragment);
  if (asked === undefined) return undefined;
  if ('tab' in asked) return asked.tab;
  const { datasetId } = asked;
  return textOfDataset(
    datasetId,
    datasets.find(({ id }) => id === datasetId),
    operations,
  );
}
