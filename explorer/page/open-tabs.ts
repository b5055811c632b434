import type { TabText } from './tab-text.ts';

/** GraphiQL's tabs, in the form in which it stores them. */
export interface OpenTabs {
  readonly activeTabIndex: number;
  readonly tabs: readonly OpenTab[];
}

/** A tab of GraphiQL, as it is stored. */
interface OpenTab {
  readonly id: string;
  readonly title: string;
  readonly query: string | null;
  readonly variables?: string | null;
  readonly headers: null;
  readonly operationName: string | null;
  readonly response: null;
}

/** The tabs to open: those that are kept from before or the examples, and the text of a link in front. */
export function tabsToOpen(
  kept: OpenTabs | undefined,
  examples: readonly TabText[],
  link: TabText | undefined,
): OpenTabs {
  const tabs = kept?.tabs ?? examples.map(newTab);
  if (link === undefined) return { tabs, activeTabIndex: kept?.activeTabIndex ?? 0 };
  const index = indexOfText(tabs, link);
  if (index >= 0) return { tabs, activeTabIndex: index };
  return { tabs: [...tabs, newTab(link)], activeTabIndex: tabs.length };
}

/** Reads the tabs that were stored. Undefined if they cannot be used. */
export function readTabs(stored: string | null): OpenTabs | undefined {
  try {
    const kept: OpenTabs | null = JSON.parse(stored ?? 'null');
    return kept?.tabs[kept.activeTabIndex] === undefined ? undefined : kept;
  } catch {
    return undefined;
  }
}

/** The index of the tab with this text, or -1. */
export function indexOfText(
  tabs: readonly { readonly query: string | null; readonly variables?: string | null }[],
  { query, variables }: TabText,
): number {
  return tabs.findIndex((tab) => (tab.query ?? '') === query && (tab.variables ?? '') === variables);
}

/** The name of the first operation in a document, as GraphiQL finds it. */
export function operationName(query: string): string | null {
  return /^(?!#).*(?:query|subscription|mutation)\s+(\w+)/m.exec(query)?.[1] ?? null;
}

function newTab({ query, variables }: TabText): OpenTab {
  const name = operationName(query);
  return {
    id: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    title: name ?? '<untitled>',
    query,
    variables,
    headers: null,
    operationName: name,
    response: null,
  };
}
