import type { AssetEntry } from './answer.ts';
import type { AssetEntries, AssetsById } from './asset-entries.ts';

/**
 * What a selection wants of results, as data: the fields of each object in the order of the answer, each with the bytes
 * that stand before its value. Made from a GraphQL selection, but knows nothing of GraphQL.
 */

/** The fields of an object. `prefix` is its opening brace or a comma, the response key and a colon. */
export interface ObjectPlan<Step> {
  readonly fields: readonly { readonly prefix: Buffer; readonly step: Step }[];
}

/** A value that is the same every time: of `__typename`. */
interface Constant {
  readonly kind: 'constant';
  readonly json: Buffer;
}

/** A page of asset series, with everything about it. */
export type ConnectionStep =
  | Constant
  | { readonly kind: 'nodes'; readonly node: ObjectPlan<SeriesStep> }
  | { readonly kind: 'edges'; readonly edge: ObjectPlan<EdgeStep> }
  /** Page info and total count: known without the rows, as JSON. */
  | { readonly kind: 'page'; readonly json: (page: Page) => string };

/** An entry of a page with its cursor. */
export type EdgeStep =
  | Constant
  | { readonly kind: 'cursor' }
  | { readonly kind: 'node'; readonly node: ObjectPlan<SeriesStep> };

/** The results of one asset. */
export type SeriesStep =
  | Constant
  /** What is known without the rows, as JSON; throws Decline where it must be left to the plain way. */
  | { readonly kind: 'entry'; readonly json: (entry: SeriesEntry) => string }
  | { readonly kind: 'resultCount' }
  | { readonly kind: 'metricNames' }
  | { readonly kind: 'results'; readonly first: number; readonly offset: number; readonly row: ObjectPlan<RowStep> }
  | {
      readonly kind: 'columns';
      /** Their names without repetitions; undefined for all. */
      readonly metrics: readonly string[] | undefined;
      readonly columns: ObjectPlan<ColumnsStep>;
    };

/** One row. */
export type RowStep =
  | Constant
  | { readonly kind: 'valueDate' }
  | {
      readonly kind: 'metrics';
      /** Undefined for all. */
      readonly names: ReadonlySet<string> | undefined;
      readonly metric: ObjectPlan<MetricStep>;
    }
  | { readonly kind: 'value'; readonly metric: string };

/** One metric of a row. */
export type MetricStep = Constant | { readonly kind: 'name' } | { readonly kind: 'value' };

/** The columns of a series. */
export type ColumnsStep =
  | Constant
  | { readonly kind: 'rowCount' }
  | { readonly kind: 'valueDates' }
  | { readonly kind: 'metrics'; readonly column: ObjectPlan<MetricStep> };

/** The entries of a page among all entries of the results. */
export interface Page {
  readonly datasetId: string;
  readonly entries: AssetEntries;
  readonly latest: AssetsById;
  readonly start: number;
  readonly end: number;
}

/** One entry, and the entry of the same asset with the highest version. */
export interface SeriesEntry {
  readonly datasetId: string;
  readonly entry: AssetEntry;
  readonly latest: AssetEntry;
}
