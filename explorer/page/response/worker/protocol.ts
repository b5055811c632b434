import type { Access } from '../../post.ts';
import type { AreaEdge } from './quantile-tables.ts';

/** An operation to send. */
export interface OperationRequest extends Access {
  /** The JSON body. */
  readonly body: string;
  /** How the lines of the response are laid over one axis; undefined: each at its own time. */
  readonly overlay?: Overlay | undefined;
  readonly part?: Part | undefined;
}

/** One of several operations that read, one after another, what is shown together. */
export interface Part {
  /** The number of the response with the values before; undefined for the first one. */
  readonly after: number | undefined;
  /** Whether it is the preview: lines that are shown until the last part is there. */
  readonly isPreview: boolean;
  readonly isLast: boolean;
}

/** How lines are laid over one axis. */
export type Overlay =
  /** Each calendar year (UTC) is a line from January to December: at most so many years, the latest. */
  | { readonly kind: 'years'; readonly maxYears: number }
  /** The rows of the field `second` of a dataset are drawn later by so many milliseconds. */
  | { readonly kind: 'ranges'; readonly shift: number }
  /** The datasets of the fields `first` and `second` are drawn in the same charts, as lines with these names. */
  | { readonly kind: 'datasets'; readonly names: readonly [first: string, second: string] };

/** What the page knows of lines that are laid over one axis. */
export type OverlaySummary =
  /** The years that have a line, the latest first, and the number of earlier years with values. */
  | { readonly kind: 'years'; readonly years: readonly number[]; readonly omittedYears: number }
  | { readonly kind: 'ranges'; readonly shift: number }
  | { readonly kind: 'datasets' };

/** An error of a GraphQL response. */
export interface ResponseError {
  readonly message: string;
  /** `extensions.code`; empty if there is none. */
  readonly code: string;
  /** The field that is null because of the error; empty if the error concerns the whole operation. */
  readonly path: readonly (string | number)[];
  /** The request id of the subgraph's log; empty if there is none. */
  readonly requestId: string;
}

/** One asset with its rows: a line in each chart. An asset with two versions has two. */
export interface AssetSummary {
  /** The asset id; empty if the response has none. */
  readonly id: string;
  /** The name, or the id where there is no name. Unique within the dataset. */
  readonly label: string;
  /** Which edge of an area the line is; undefined for any other line. */
  readonly edge?: AreaEdge;
  /** Whether the line is one of an earlier time, which others are compared with. */
  readonly isEarlier?: boolean;
  /** Whether the line is shown only until all values are there. */
  readonly isPreview?: boolean;
}

/** The location of an asset, in degrees. */
export interface Place {
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The indexes of its entries in `DatasetSummary.assets`. */
  readonly assets: readonly number[];
}

/** What a response has of one dataset, without the values. */
export interface DatasetSummary {
  /** Where it is in `data`. */
  readonly path: readonly (string | number)[];
  readonly title: string;
  readonly metrics: readonly string[];
  /** The names of the metrics as they are shown: on the page with the units that are known. */
  readonly labels: readonly string[];
  /** The leading columns of the table that are not empty, as indexes of `LEADING_COLUMNS`. */
  readonly leading: readonly number[];
  readonly assets: readonly AssetSummary[];
  readonly places: readonly Place[];
  readonly rowCount: number;
  /** The number of values, the missing ones included. */
  readonly valueCount: number;
  /** The number of distinct dates. */
  readonly dateCount: number;
  /** The first and the last x. */
  readonly extent: readonly [first: number, last: number];
  /** Whether all dates are points in time. */
  readonly isTime: boolean;
  /** Whether the subgraph reads all dates, so that it has means by period. */
  readonly hasPeriods: boolean;
  /** All dates in the order of their first appearance; empty if they are points in time. */
  readonly texts: readonly string[];
  /** Whether the response has dates; otherwise rows are numbered. */
  readonly hasDates: boolean;
  /** The number of values that are omitted, because their metric has the name of one before it. Without names all are alike. */
  readonly omittedCount: number;
  /** How the lines are laid over one axis; undefined if they are not. */
  readonly overlay?: OverlaySummary;
}

/** A download link in the response. */
export interface Download {
  /** Differs from that of other links. */
  readonly name: string;
  readonly url: string;
}

/** A REST call, as the subgraph lists it: contract, clause 46. */
export interface RestCall {
  readonly operation: string;
  readonly datasetId: string;
  /** The filter in words; null for metadata. */
  readonly filter: string | null;
  readonly source: string;
  readonly resends: number;
  readonly status: number | null;
  readonly label: string | null;
  readonly failure: string | null;
  /** Null while it is running, as `bytes`. */
  readonly milliseconds: number | null;
  readonly bytes: number | null;
}

/** The REST calls of an operation, and what they cost together. */
export interface RestCalls {
  readonly count: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly calls: readonly RestCall[];
}

/** Why there is nothing to draw, as far as the response says it. */
export type Absence = 'noAssets' | 'noRows' | 'nothingSelected';

/** What the page knows of a response. Its bytes and values stay in the worker. */
export interface ResponseSummary {
  /** The number of the response in the worker. */
  readonly responseId: number;
  readonly bytes: number;
  /** From the request to the last byte. */
  readonly milliseconds: number;
  /** The HTTP status. */
  readonly status: number;
  readonly errors: readonly ResponseError[];
  readonly datasets: readonly DatasetSummary[];
  readonly downloads: readonly Download[];
  readonly absence: Absence | undefined;
  /** Undefined if the response has none: the operation was not executed, or not by this subgraph. */
  readonly restCalls: RestCalls | undefined;
  /** Whether the response has `results` as rows, which take three times the bytes of `columns`. */
  readonly hasRows: boolean;
  /** Whether the response is too large for an editor. */
  readonly isLarge: boolean;
}

/** Why there is no response. */
export interface ResponseFailure {
  readonly kind: 'notSent' | 'network' | 'notJson' | 'memory';
  /** The HTTP status, if there is one. */
  readonly status?: number;
  readonly detail: string;
}

/** A line of a chart. */
export interface Line {
  /** Its index in `DatasetSummary.assets`. */
  readonly asset: number;
  /** Its index in `DatasetSummary.metrics`. */
  readonly metric: number;
  /**
   * Pairs of x and y, sorted by x. x is the time in milliseconds, or the index of the date in `texts`. y is NaN where there is no
   * value.
   */
  readonly points: Float64Array<ArrayBuffer>;
  /** For each point: 1 if the line does not connect it with the point before, because the time between them is a gap. */
  readonly starts: Uint8Array<ArrayBuffer>;
  readonly statistics: LineStatistics;
}

/** The lowest, the mean and the highest value of a line; NaN without values. A line of only some rows has no mean. */
export interface LineStatistics {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** The range of the values of one metric in all of its lines. */
export interface Envelope {
  readonly metric: number;
  /** Pairs of x and y, sorted: for each x of a line the lowest and the highest value, once if they are equal, NaN without any. */
  readonly points: Float64Array<ArrayBuffer>;
  /** The lowest and the highest of all values; infinite without any. On a logarithmic axis only positive values count. */
  readonly min: number;
  readonly max: number;
}

/** Which lines of a dataset are drawn. */
export interface LinesRequest {
  readonly dataset: number;
  readonly assets: readonly number[];
  readonly metrics: readonly number[];
  /** Whether the axes of lines are logarithmic, so that values of zero or less are gaps. */
  readonly isLogarithmic?: boolean;
  /** The part of the time that must be exact where the lines have too many points. */
  readonly range?: readonly [first: number, last: number];
}

/** Lines, as they are to be drawn. */
export interface Lines {
  readonly lines: readonly Line[];
  /** One for each metric of the request, in its order. */
  readonly envelopes: readonly Envelope[];
  /** The mean of the lines of the first metric at equal steps, as pairs of x and y: for the slider of time. */
  readonly overview: Float64Array<ArrayBuffer>;
  /** Whether points were left out, because the page would take too long to draw them. The lowest and highest are kept. */
  readonly isReduced: boolean;
  /** The number of values in the response that have no place on a logarithmic axis; 0 where the axes are linear. */
  readonly omitted: number;
}

/** The values of one metric of many assets in a grid: a row for each asset, a column for each date or time slice. */
export interface HeatMap {
  readonly metric: number;
  /** Of the values in each cell, the one that is farthest from the median of all; NaN where a cell has no value. */
  readonly cells: Float64Array<ArrayBuffer>;
  /** The number of values in each cell. */
  readonly counts: Uint32Array<ArrayBuffer>;
  /** The first and the last date of the values in each cell, as indexes of `HeatMaps.xs`. */
  readonly firsts: Uint32Array<ArrayBuffer>;
  readonly lasts: Uint32Array<ArrayBuffer>;
  readonly columns: number;
  readonly median: number;
  /** The lowest and the highest value; infinite without any. */
  readonly min: number;
  readonly max: number;
  /** The same without outliers. */
  readonly usual: { readonly min: number; readonly max: number };
}

/** The heat maps of some metrics, with a common axis. */
export interface HeatMaps {
  readonly maps: readonly HeatMap[];
  /** The x of each date. */
  readonly xs: Float64Array;
  /** The x of each column, where each has one date; undefined where columns are equal slices of the time. */
  readonly columnXs: Float64Array<ArrayBuffer> | undefined;
}

/** How many values of one metric are in which range. */
export interface Histogram {
  readonly metric: number;
  /** The lower end of the first bin, in widths. */
  readonly first: number;
  /** The width of each bin, which includes its lower end and not its upper one. */
  readonly width: number;
  /** The number of values in each bin; empty without values. */
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly total: number;
}

/** One histogram for each metric of a request. */
export interface Histograms {
  readonly histograms: readonly Histogram[];
}

/** The order and the part of the rows in a table. */
export interface TableView {
  readonly dataset: number;
  /** Only assets whose id or name contains this text. */
  readonly filter: string;
  /** The column, counted from the asset's id. Without it, rows are in the order of the response. */
  readonly sort?: { readonly column: number; readonly isDescending: boolean };
}

/** The value of one metric at each place, at or before one time. */
export interface PlaceValues {
  /** In the order of `DatasetSummary.places`; NaN where there is none. */
  readonly values: Float64Array<ArrayBuffer>;
  /** The x of each value. */
  readonly dates: Float64Array<ArrayBuffer>;
  /** The lowest and the highest value at any time, without outliers. */
  readonly min: number;
  readonly max: number;
}

/** A value of an asset. */
export interface Extreme {
  readonly value: number;
  readonly x: number;
  /** Its index in `DatasetSummary.assets`. */
  readonly asset: number;
}

/** The lowest and the highest value of one metric. */
export interface Extremes {
  readonly metric: number;
  readonly lowest: Extreme;
  readonly highest: Extreme;
}

/** What the page asks of the worker about a response. */
export interface ResponseQueries {
  lines(request: LinesRequest): Lines;
  heat(request: LinesRequest): HeatMaps;
  histograms(request: LinesRequest): Histograms;
  /** The number of rows of a view, which also sorts it. */
  countRows(view: TableView): number;
  /** The rows of a view from an index on, as texts. */
  rows(view: TableView, from: number, count: number): string[][];
  csv(view: TableView): Blob;
  /** The length of the longest text of each column of the table, in characters; of many numbers, the longest of some. */
  columnLengths(dataset: number): number[];
  /** The x of all dates of a dataset, each once, upwards. */
  dates(dataset: number): Float64Array<ArrayBuffer>;
  /** The latest value of a metric at or before an x, for each place. */
  placeValues(dataset: number, metric: number, x: number): PlaceValues;
  /** The extremes of each metric of a dataset that has a value. */
  extremes(dataset: number): Extremes[];
  /** The response, byte for byte. */
  bytes(): Blob;
  /** The response as text: as received, or with line breaks and indentation for reading. */
  text(isIndented: boolean): Promise<string>;
  /** Forgets the response. */
  release(): void;
}

/** A message to the worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly responseId: number; readonly request: OperationRequest }
  | { readonly kind: 'abort'; readonly responseId: number }
  | {
      readonly kind: 'query';
      readonly id: number;
      readonly responseId: number;
      readonly method: keyof ResponseQueries;
      readonly args: readonly unknown[];
    };

/** A message from the worker. */
export type FromWorker =
  | { readonly kind: 'progress'; readonly responseId: number; readonly bytes: number; readonly isComplete: boolean }
  | { readonly kind: 'done'; readonly responseId: number; readonly summary: ResponseSummary }
  | { readonly kind: 'failed'; readonly responseId: number; readonly failure: ResponseFailure }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'rejected'; readonly id: number; readonly reason: string };
