import type { Storage } from '@graphiql/toolkit';
import type { Settings } from './settings.ts';

/**
 * Where GraphiQL keeps its tabs and its layout: as long as this tab of the browser. So a reload loses nothing, and a page
 * opened anew begins with the examples, whichever GraphiQL had been at this address before.
 */
export function createStorage({ examples: [first] }: Settings): Storage {
  const initial: Record<string, string> = {
    // The panes' shares of the width and the height.
    'graphiql:docExplorerFlex': '0.75',
    'graphiql:editorFlex': '1.6',
    'graphiql:secondaryEditorFlex': '2',
    // GraphiQL fills its editors from here, and not from the tab that it opens with.
    ...(first && { 'graphiql:query': first.query, 'graphiql:variables': variablesText(first.variables) }),
  };
  return {
    getItem: (key) => sessionStorage.getItem(key) ?? initial[key] ?? null,
    setItem: (key, value) => sessionStorage.setItem(key, value),
    removeItem: (key) => sessionStorage.removeItem(key),
    clear: () => sessionStorage.clear(),
    get length() {
      return sessionStorage.length;
    },
  };
}

/** Variables as the editor shows them. */
export function variablesText(variables: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(variables, null, 2);
}
