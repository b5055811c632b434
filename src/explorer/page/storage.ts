/**
 * Where GraphiQL keeps its tabs and its layout: as long as this tab of the browser. So a reload loses nothing, and a page
 * opened anew begins with the examples, whichever GraphiQL had been at this address before.
 */
export const pageStorage = {
  getItem: (key: string): string | null => sessionStorage.getItem(key) ?? initial[key] ?? null,
  setItem: (key: string, value: string): void => sessionStorage.setItem(key, value),
  removeItem: (key: string): void => sessionStorage.removeItem(key),
  clear: (): void => sessionStorage.clear(),
  get length(): number {
    return sessionStorage.length;
  },
};

/** The layout to begin with: the panes' shares of the width and the height. */
const initial: Record<string, string> = {
  'graphiql:docExplorerFlex': '1',
  'graphiql:secondaryEditorFlex': '2',
};
