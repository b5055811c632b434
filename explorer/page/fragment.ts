import type { TabText } from './tab-text.ts';

/** What the fragment of the page's URL asks for. */
export type Fragment = { readonly tab: TabText } | { readonly datasetId: string };

/** The maximum length of a fragment. A longer one makes links that mail and chat programs cut off. */
export const MAX_FRAGMENT_LENGTH = 32_000;

/** The fragment of a link to a query. Empty if it would be too long. It never contains the token. */
export function fragmentOf({ query, variables }: TabText): string {
  const fragment = `#${new URLSearchParams({ query, variables })}`;
  return fragment.length > MAX_FRAGMENT_LENGTH ? '' : fragment;
}

/** Reads the fragment of a URL. Undefined if it has no query and no dataset. */
export function readFragment(fragment: string): Fragment | undefined {
  if (fragment.length > MAX_FRAGMENT_LENGTH) return undefined;
  const parameters = new URLSearchParams(fragment.slice(1));
  const query = parameters.get('query');
  if (query !== null) return { tab: { query, variables: parameters.get('variables') ?? '' } };
  const datasetId = parameters.get('dataset');
  return datasetId ? { datasetId } : undefined;
}
