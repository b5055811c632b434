/** An operation that the explorers offer, with its variables. */
export interface Example {
  /** Its name in `operations/`. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The ids and values in the variables of the examples. */
export interface ExampleSubjects {
  /** A dataset with results. */
  readonly datasetId: string;
  /** An asset of the dataset. */
  readonly assetId: string;
  /** The metrics to draw; by default all. */
  readonly metrics?: readonly string[];
  /** The time range to draw, RFC 3339; by default all. */
  readonly timeRange?: TimeRange;
  /** Datasets to compare. */
  readonly datasetIds: readonly string[];
  /** A dataset with a file. */
  readonly fileId: string;
}

/** A time range, RFC 3339. A bound that is absent is open. */
export interface TimeRange {
  readonly start?: string;
  readonly stop?: string;
}

/** Placeholders for users to replace, if no dataset is known. */
export const placeholders: ExampleSubjects = {
  datasetId: 'A-DATASET-ID',
  assetId: 'AN-ASSET-ID',
  datasetIds: ['A-DATASET-ID', 'ANOTHER-DATASET-ID'],
  fileId: 'A-DATASET-ID',
};

/** The quantiles of a chart of many assets: the edges of its area, and the line between them. */
export const drawnQuantiles = [0.1, 0.5, 0.9];

/** The rows of the example of rows: two weeks of daily values. */
const FIRST_ROWS = 14;

/**
 * The examples, in the order of their tabs. Variables of the same name have the same value, because Sandbox shows all
 * operations as one document. So operations that read other data have variables of other names.
 */
export function examplesOf(subjects: ExampleSubjects): Example[] {
  const { datasetId: id, assetId, metrics, datasetIds: ids, fileId } = subjects;
  const timeRange = subjects.timeRange && { timeRange: subjects.timeRange };
  return [
    { operation: 'Columns', variables: { id, assetIds: [assetId], ...(metrics && { metrics }), ...timeRange } },
    { operation: 'Metadata', variables: { id } },
    { operation: 'Rows', variables: { id, ...timeRange, first: FIRST_ROWS } },
    { operation: 'OneAsset', variables: { id, assetId } },
    { operation: 'Periods', variables: { id, assetIds: [assetId], ...(metrics && { metrics }), ...timeRange } },
    { operation: 'ByDate', variables: { id, ...(metrics && { metrics }), ...timeRange, quantiles: drawnQuantiles } },
    { operation: 'Download', variables: { fileId } },
    { operation: 'SeveralDatasets', variables: { ids } },
  ];
}
