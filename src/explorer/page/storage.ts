import type { Storage } from '@graphiql/toolkit';
import type { Settings } from './settings.ts';

/** The text of the open tab, which GraphiQL keeps once more beside its tabs. */
const openTabKeys = ['graphiql:query', 'graphiql:variables'];

/**
 * Where GraphiQL keeps its tabs and its layout: as long as this tab of the browser. So a reload loses nothing, and a page
 * opened anew begins with the examples, whichever GraphiQL had been at this address before.
 *
 * GraphiQL fills its editors not from the open tab, but from a copy of its text, which it keeps half a second before it
 * keeps the tabs: a reload in between would open one more tab for the copy. So the copy is not kept, but read from the tab.
 */
export function createStorage({ examples: [first] }: Settings): Storage {
  const kept: { tabs: OpenTab[]; activeTabIndex: number } | null = JSON.parse(
    sessionStorage.getItem('graphiql:tabState') ?? 'null',
  );
  const openTab = kept
    ? kept.tabs[kept.activeTabIndex]
    : first && { query: first.query, variables: variablesText(first.variables) };
  const initial: Record<string, string | null | undefined> = {
    // The panes' shares of the width and the height.
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

/** A tab as GraphiQL keeps it, as far as it is read here. */
interface OpenTab {
  query: string | null;
  variables: string | null;
}

/** Variables as the editor shows them. */
export function variablesText(variables: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(variables, null, 2);
}
