import type { Selection } from '../../engine/index.ts';

/** A page of series as it is written: the fields of the connection, in their order. */
export interface BoundPage {
  readonly fields: readonly PageField[];
}

/** A field of a connection, and what is written before its value. */
export type PageField = { readonly key: string; readonly prefix: string } & (
  | { readonly kind: 'constant'; readonly json: string }
  /** Page info and total count. They do not need the rows. */
  | { readonly kind: 'page'; readonly json: (page: PageEntries) => string }
  /** The entries: `nodes` or `edges`. */
  | { readonly kind: 'list'; readonly selection: Selection }
);

/** The position of a page among all entries of the results, with the ids of its first entry and its last. */
export interface PageEntries {
  readonly start: number;
  readonly end: number;
  readonly entries: Entries;
}

/** Entries, of which at least the ids are known. */
export interface Entries {
  readonly length: number;
  at(index: number): { readonly assetId: string } | undefined;
}
