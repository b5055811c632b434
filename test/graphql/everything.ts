import { assetReference, DATASET_ID, datasetReference } from '../support/harness.ts';

/** An operation that selects every field of the schema. */
export const everything = `
  query Everything(
    $id: ID!, $filter: ResultsFilterInput, $day: TimeRangeInput!, $instant: TimeBound, $every: PeriodUnit!, $representations: [_Any!]!
  ) {
    dataset(id: $id) { ...DatasetFields }
    datasetsByIds(ids: [$id]) { ...DatasetFields }
    _entities(representations: $representations) { ...DatasetFields ...AssetFields }
    _service { sdl }
  }
  fragment DatasetFields on Dataset {
    id name description assetCount attributionText attributionFile sharing
    processing { id name }
    source { id name }
    startDate stopDate startDateTime stopDateTime seriesCount metricNames
    results(filter: $filter) {
      processingId sourceId metricNames
      rowsFile(format: CSV) { ...DownloadFields }
      seriesPeriodsFile(every: WEEK, format: NDJSON) { ...DownloadFields }
      seriesStatisticsFile(format: PARQUET, quantiles: [0.5]) { ...DownloadFields }
      byDateFile(format: ARROW, metrics: ["moisture"]) { ...DownloadFields }
      series(first: 1) {
        edges { cursor node { ...SeriesFields } }
        nodes { ...SeriesFields asset { datasetId assetId } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
      }
      statistics { ...StatisticsFields }
      byDate { ...ByDateFields }
    }
    asset(assetId: "b") { ...AssetFields }
    assetsByIds(assetIds: ["b"]) { assetId }
    download { ...DownloadFields }
    downloadUrlWithToken
  }
  fragment AssetFields on Asset {
    id datasetId assetId name version categories metricNames
    centroid { latitude longitude }
    surfaceAreaM2
    parent { assetId name version asset { assetId } }
    dataset { id }
    series(filter: { timeRange: $day }) { ...SeriesFields }
    again: series(filter: { timeRange: { start: $instant, stop: $instant } }) { rowCount }
  }
  fragment SeriesFields on AssetSeries {
    version rowCount metricNames
    none: rows(first: 0) { valueDate }
    rows { valueDate metrics { name value } value(metric: "temperature") }
    columns { rowCount valueDates metrics { name values } }
    latest { valueDate }
    statistics { ...StatisticsFields }
    periods(every: $every) { ...ByDateFields }
  }
  fragment DownloadFields on DatasetDownload {
    url method requiredHeaders ticketUrl
  }
  fragment StatisticsFields on MetricStatistics {
    name count nullCount sum mean standardDeviation quantiles(of: [0.5])
    first { ...PointFields } last { ...PointFields } minimum { ...PointFields } maximum { ...PointFields }
  }
  fragment PointFields on MetricPoint { value valueDate assetId }
  fragment ByDateFields on AggregatesByDate {
    dates
    metrics { name counts sums means minimums maximums standardDeviations quantiles(of: [0.5]) }
  }
`;

/** The one day for which it asks. */
export const instant = Date.parse('2024-01-02T00:00:00Z');

const day = { start: instant, stop: instant };
export const variables = {
  id: DATASET_ID,
  filter: { assetIds: ['b'], timeRange: day },
  day,
  instant,
  every: 'MONTH',
  representations: [assetReference('b'), datasetReference()],
};
