import type { AssetEntries, AssetEntry } from './asset-entries.ts';

/**
 * What a selection wants of results, as data: the fields of each object in the order of the response, each with the
 * bytes that stand before its value. Made from a GraphQL selection, but knows nothing of GraphQL.
 */

/** The fields of an object. */
export interface BoundObject<Step> {
  readonly fields: readonly BoundField<Step>[];
}

/** A field of an object. */
export interface BoundField<Step> extends FieldOrigin {
  /** The opening brace or a comma, the response key and a colon. */
  readonly prefix: Buffer;
  readonly step: Step;
}

/** Which field of the selection something belongs to, for errors. */
export interface FieldOrigin {
  /** The response key. */
  readonly key: string;
  /** Where the field stands in the document; opaque here. */
  readonly nodes: unknown;
}

/**
 * A path from the field that is written down to a value in it, as a linked list from its end: `{ key: 'value', parent:
 * { key: 3, parent: undefined } }` is `[3, 'value']`.
 */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

/** Takes the errors of values that are null because of them. */
export interface ErrorSink {
  /** Reports the error of a field, or of an element of its list; without a path, of the field that is written. */
  add(path: Path | undefined, origin: FieldOrigin, error: Error): void;
  /** Whether further errors are only counted. */
  readonly isFull: boolean;
  /** Counts errors that are not made. */
  omit(count: number): void;
  /** The error of a field that the work budget has nothing left for. */
  workExceeded(): Error;
}

/** A value that is the same every time: of `__typename`. */
interface Constant {
  readonly kind: 'constant';
  readonly json: Buffer;
}

/** A field whose arguments cannot be used: null, with this error. */
export interface InvalidArguments {
  readonly kind: 'invalidArguments';
  readonly error: Error;
}

/** A page of asset series, with everything about it. */
export type ConnectionStep =
  | Constant
  | { readonly kind: 'nodes'; readonly node: BoundObject<SeriesStep> }
  | { readonly kind: 'edges'; readonly edge: BoundObject<EdgeStep> }
  /** Page info and total count: known without the rows, as JSON. */
  | { readonly kind: 'page'; readonly json: (page: Page) => string };

/** An entry of a page with its cursor. */
export type EdgeStep =
  | Constant
  | { readonly kind: 'cursor' }
  | { readonly kind: 'node'; readonly node: BoundObject<SeriesStep> };

/** Writes a value that is known without the rows as JSON. Reports attributes of wrong types, which are null. */
export type EntryJson = (entry: SeriesEntry, path: Path, errors: ErrorSink) => string;

/** The results of one asset. */
export type SeriesStep = Constant | { readonly kind: 'entry'; readonly json: EntryJson } | RowsStep | InvalidArguments;

/** What takes the rows of an asset. */
export type RowsStep = { readonly kind: 'resultCount' } | RowContentStep;

/** What takes more of the rows than their number. */
export type RowContentStep =
  | { readonly kind: 'metricNames' }
  | { readonly kind: 'results'; readonly first: number; readonly offset: number; readonly row: BoundObject<RowStep> }
  | {
      readonly kind: 'columns';
      /** Their names without repetitions; undefined for all. */
      readonly metrics: readonly string[] | undefined;
      readonly columns: BoundObject<ColumnsStep>;
    };

/** One row. */
export type RowStep =
  | Constant
  | InvalidArguments
  | { readonly kind: 'valueDate' }
  | {
      readonly kind: 'metrics';
      /** Undefined for all. */
      readonly names: ReadonlySet<string> | undefined;
      readonly metric: BoundObject<MetricStep>;
    }
  | { readonly kind: 'value'; readonly metric: string };

/** One metric of a row, or a column. */
export type MetricStep = Constant | { readonly kind: 'name' } | { readonly kind: 'value' };

/** The columns of a series. */
export type ColumnsStep =
  | Constant
  | { readonly kind: 'rowCount' }
  | { readonly kind: 'valueDates' }
  | { readonly kind: 'metrics'; readonly column: BoundObject<MetricStep> };

/** The entries of a page among all entries of the results. */
export interface Page {
  readonly datasetId: string;
  readonly entries: AssetEntries;
  readonly start: number;
  readonly end: number;
  /** The entry with this index among all entries. */
  at(index: number): SeriesEntry;
}

/** One entry, and the entry of the same asset with the highest version. */
export interface SeriesEntry {
  readonly datasetId: string;
  readonly entry: AssetEntry;
  readonly latest: AssetEntry;
}
