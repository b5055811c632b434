import type { Aggregate } from './aggregates/aggregate.ts';
import type { AssetEntries, AssetEntry, AttributeName, EntryRows } from './asset-entries.ts';

/*
 * A bound selection: what to write of results, as data. It has the fields of each object in the order of the response,
 * each with the bytes before its value. It is made from a GraphQL selection, but does not depend on GraphQL.
 *
 * For example, `rows(first: $n) { day: valueDate value(metric: "x") }` on a series, with the variable `n` = 2, is this
 * field of a BoundObject<SeriesStep> (without `key` and `nodes`):
 *
 *     { prefix: '{"rows":', step: { kind: 'rows', first: 2, offset: 0, row: { fields: [
 *       { prefix: '{"day":', step: { kind: 'valueDate' } },
 *       { prefix: ',"value":', step: { kind: 'value', metric: 'x' } },
 *     ] } } }
 */

/** The fields of an object. */
export interface BoundObject<Step> {
  readonly fields: readonly BoundField<Step>[];
}

/** A field of an object. */
export interface BoundField<Step> extends FieldOrigin {
  /** An opening brace or a comma, the response key and a colon. */
  readonly prefix: Buffer;
  readonly step: Step;
}

/** The field of the selection that an error belongs to. */
export interface FieldOrigin {
  /** The response key. */
  readonly key: string;
  /** The AST nodes of the field. Opaque here. */
  readonly nodes: unknown;
}

/**
 * The path from the field that is written to a value in it, as a linked list from its end: `{ key: 'value', parent:
 * { key: 3, parent: undefined } }` is `[3, 'value']`.
 */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

/** Collects the errors of values that become null. */
export interface ErrorSink {
  /** Adds the error of a field, or of an element of its list. Without a path: of the field that is written. */
  add(path: Path | undefined, origin: FieldOrigin, error: Error): void;
  /** Whether further errors are only counted, and not added. */
  readonly isFull: boolean;
  /** Counts errors that are not added. */
  omit(count: number): void;
  /** The error of a field that exceeds the work budget. */
  workExceeded(): Error;
}

/** The value of `__typename`. */
interface Constant {
  readonly kind: 'constant';
  readonly json: Buffer;
}

/** A field with invalid arguments: null, with this error. */
export interface InvalidArguments {
  readonly kind: 'invalidArguments';
  readonly error: Error;
}

/** A page of asset series. */
export type ConnectionStep =
  | Constant
  | { readonly kind: 'nodes'; readonly node: BoundObject<SeriesStep> }
  | { readonly kind: 'edges'; readonly edge: BoundObject<EdgeStep> }
  /** Page info and total count, as JSON. They do not need the rows. */
  | { readonly kind: 'page'; readonly json: (page: PageEntries) => string };

/** An entry of a page with its cursor. */
export type EdgeStep =
  | Constant
  | { readonly kind: 'cursor' }
  | { readonly kind: 'node'; readonly node: BoundObject<SeriesStep> };

/**
 * The JSON of a value that does not need the rows, piece by piece. Attributes of wrong types become null, and their errors
 * are added.
 */
export type EntryJson = (entry: SeriesEntry, path: Path, errors: ErrorSink) => Iterable<string>;

/** A field of an asset, or an object of such fields, that is copied from the response. */
export type AttributeStep =
  | Constant
  | { readonly kind: 'datasetId' }
  /** The id among the assets of all datasets (core/global-id.ts). */
  | { readonly kind: 'globalId'; readonly of: 'assetId' | 'parentId' }
  | { readonly kind: 'attribute'; readonly attribute: AttributeName; readonly isInt64: boolean }
  | {
      readonly kind: 'object';
      /** It is null without these attributes: without all of them, or without any of them. */
      readonly attributes: readonly AttributeName[];
      readonly needs: 'all' | 'any';
      readonly object: BoundObject<AttributeStep>;
    };

/** The results of one asset. */
export type SeriesStep =
  | Constant
  | {
      readonly kind: 'entry';
      /** Whose attributes: those of this entry, or of the one with the highest version. */
      readonly of: 'entry' | 'latest';
      /** How to copy them, if all bytes of them can be copied. Undefined for a selection on metadata of the dataset. */
      readonly copy: AttributeStep | undefined;
      readonly json: EntryJson;
    }
  | RowsStep
  | InvalidArguments;

/** A field that needs the rows of an asset. */
export type RowsStep = { readonly kind: 'rowCount' } | RowContentStep;

/** A field that needs more than the number of rows. */
export type RowContentStep =
  | { readonly kind: 'metricNames' }
  | { readonly kind: 'rows'; readonly first: number; readonly offset: number; readonly row: BoundObject<RowStep> }
  | {
      readonly kind: 'columns';
      /** The distinct names. Undefined for all metrics. */
      readonly metrics: readonly string[] | undefined;
      /** The most rows. Undefined for all. */
      readonly points: number | undefined;
      readonly columns: BoundObject<ColumnsStep>;
    }
  /** The rows with the latest date, joined. */
  | { readonly kind: 'latest'; readonly row: BoundObject<RowStep> }
  | AggregateStep;

/** Something that is computed from the rows. */
export interface AggregateStep {
  readonly kind: 'aggregate';
  /** The distinct names of the metrics. Undefined for all. */
  readonly metrics: readonly string[] | undefined;
  readonly start: () => Aggregate<object>;
  /** Equal for fields of one object that have the same value. */
  readonly key: string;
  /** The JSON of its value, piece by piece, with the errors of its fields. */
  readonly json: (value: object, path: Path | undefined, errors: Pick<ErrorSink, 'add'>) => Iterable<string>;
}

/** One row. */
export type RowStep =
  | Constant
  | InvalidArguments
  | { readonly kind: 'valueDate' }
  | {
      readonly kind: 'metrics';
      /** Undefined for all metrics. */
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

/** The dataset that results belong to. The model of a whole dataset, opaque here, if its metadata is selected. */
export interface DatasetOfResults {
  readonly id: string;
}

/** The position of a page among all entries of the results, with the ids of its first entry and its last. */
export interface PageEntries {
  readonly start: number;
  readonly end: number;
  readonly entries: { readonly length: number; at(index: number): Pick<AssetEntry, 'assetId'> | undefined };
}

/** The entries of a page among all entries of the results. */
export interface Page {
  readonly dataset: DatasetOfResults;
  readonly entries: AssetEntries;
  readonly start: number;
  readonly end: number;
  /** All of them, once there are no more. */
  readonly arrived: PageEntries;
  /** The entry with this index among all entries. */
  at(index: number): SeriesEntry;
  /**
   * Reads further entries, once those up to `end` are written. Yields promises that have to be waited for. Returns whether there
   * are any: then `end` is higher. Undefined if there are none.
   */
  readonly more: (() => Generator<void | Promise<void>, boolean>) | undefined;
}

/** One entry, or all entries of an asset with the highest version. */
export interface SeriesEntry {
  readonly dataset: DatasetOfResults;
  /** The entry, or the first of them. */
  readonly entry: AssetEntry;
  /** The first entry of the same asset with the highest version. */
  readonly latest: AssetEntry;
  readonly rows: EntryRows;
}
