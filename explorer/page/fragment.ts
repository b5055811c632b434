import { addPaneView, firstPaneView, type PaneView, readPaneView } from './response/pane-view.ts';
import type { TabText } from './tab-text.ts';

/** What the fragment of the page's URL asks for. */
export type Fragment = ({ readonly tab: TabText } | { readonly datasetId: string }) & {
  /** The view of the response. */
  readonly view: PaneView;
};

/** The maximum length of a fragment. A longer one makes links that mail and chat programs cut off. */
const MAX_FRAGMENT_LENGTH = 32_000;

/** The fragment of a link to a query, and to a view of its response. Empty if it would be too long. It never contains the token. */
export function fragmentOf({ query, variables }: TabText, view: PaneView = firstPaneView): string {
  const parameters = new URLSearchParams({ query, variables });
  addPaneView(parameters, view);
  const fragment = `#${parameters}`;
  return fragment.length > MAX_FRAGMENT_LENGTH ? '' : fragment;
}

/** Reads the fragment of a URL. Undefined if it has no query and no dataset. */
export function readFragment(fragment: string): Fragment | undefined {
  if (fragment.length > MAX_FRAGMENT_LENGTH) return undefined;
  const parameters = new URLSearchParams(fragment.slice(1));
  const view = readPaneView(parameters);
  const query = parameters.get('query');
  if (query !== null) return { tab: { query, variables: parameters.get('variables') ?? '' }, view };
  const datasetId = parameters.get('dataset');
  return datasetId ? { datasetId, view } : undefined;
}
