import type { Storage } from '@graphiql/toolkit';
import type { Settings } from './settings.ts';

/** GraphiQL's second copy of the open tab's text, beside its tabs. */
const openTabKeys = ['graphiql:query', 'graphiql:variables'];

/**
 * GraphiQL's storage for its tabs and its layout, in the session storage of the browser's tab. So a reload keeps
 * everything, and a new page opens with the examples, even if another GraphiQL used this address before.
 *
 * GraphiQL fills its editors from a copy of the open tab's text. It stores the copy half a second before the tabs, and a
 * reload in between would open another tab for the copy. So this storage does not store the copy, but reads it from the tab.
 */
export function createStorage({ examples: [first] }: Settings): Storage {
  const kept: { tabs: OpenTab[]; activeTabIndex: number } | null = JSON.parse(
    sessionStorage.getItem('graphiql:tabState') ?? 'null',
  );
  const openTab = kept
    ? kept.tabs[kept.activeTabIndex]
    : first && { query: first.query, variables: variablesText(first.variables) };
  const initial: Record<string, string | null | undefined> = {
    // The relative sizes of the panes.
    'graphiql:docExplorerFlex': '0.75',
    'graphiql:editorFlex': '1.6',
    'graphiql:secondaryEditorFlex': '2',
    'graphiql:query': openTab?.query,
    'graphiql:variables': openTab?.variables,
  };
  return {
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
}

/** A tab as GraphiQL stores it; only the members read here. */
interface OpenTab {
  query: string | null;
  variables: string | null;
}

/** Variables as formatted JSON for the editor. */
export function variablesText(variables: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(variables, null, 2);
}
