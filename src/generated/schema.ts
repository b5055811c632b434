import type { TimeBoundValue } from '../graphql/schema/scalars.ts';
export type Maybe<T> = T | null | undefined | Error;
export type InputMaybe<T> = T | null | undefined;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An RFC 3339 date-time in UTC, such as "2012-01-01T00:00:00.000Z". */
  DateTime: { input: string; output: string; }
  /**
   * A 64-bit signed integer. A response has a decimal string ("-9223372036854775808"
   * to "9223372036854775807"), because most clients lose digits of JSON numbers above
   * 2^53. An input is a decimal string, or an integer of at most 2^53 - 1.
   */
  Int64: { input: bigint; output: bigint; }
  /**
   * A bound of a time range. A day, such as "2012-01-31", or a month, such as "2012-01",
   * is all of it in UTC: its first millisecond as the start of a range, its last as the
   * end. Or a point in time: an RFC 3339 date-time with an offset, such as
   * "2012-01-01T00:00:00Z", or milliseconds since 1970-01-01T00:00:00Z, as an integer of
   * at most 2^53 - 1 or a string of digits with an optional sign (the whole 64-bit range;
   * so a year alone is none). A date-time may lack its seconds ("2012-01-01T00:00Z") and
   * the minutes of its offset ("+00"). Digits below a millisecond are cut off, and a leap
   * second is the start of the next minute.
   */
  TimeBound: { input: TimeBoundValue; output: TimeBoundValue; }
  /** An absolute URL (RFC 3986). */
  URL: { input: string; output: string; }
};

/** Values by date. All lists have an entry for each date, in the order of the dates. */
export type AggregatesByDate = {
  __typename?: 'AggregatesByDate';
  /**
   * The dates, ascending. By period: its start, for all periods from the first row to the
   * last, also those without rows. That of a day or more is a date, such as "2024-01-01"
   * (years before 0000 and after 9999 as in "-000001-12-27"); that of less than a day is
   * an RFC 3339 date-time with its offset. Without a period: each date once, as it was
   * received first, in the order of time if all can be read, as `Result.valueDate` says,
   * else in that of their texts. The same point in time is one date.
   */
  dates: Array<Scalars['String']['output']>;
  /** The values of each metric. */
  metrics: Array<MetricAggregates>;
};

/**
 * An asset of a dataset. `id`, `datasetId` and `assetId` need no REST call. All
 * other attributes together need one, which all assets of the dataset in the
 * operation share. If an asset has several versions, the attributes are those of the
 * highest.
 */
export type Asset = {
  __typename?: 'Asset';
  /** The id of the asset within its dataset. An asset may be in many datasets. */
  assetId: Scalars['ID']['output'];
  /** The categories of the asset. */
  categories?: Maybe<Array<Scalars['String']['output']>>;
  /** The centroid of the asset. Null unless the service sent both coordinates. */
  centroid?: Maybe<GeoPoint>;
  /**
   * The dataset of the asset. Needs no REST call for its `id`. Other fields need the
   * same calls as `Query.dataset`, once for all assets of the dataset.
   */
  dataset?: Maybe<Dataset>;
  /** The id of the dataset, exactly as in the request. */
  datasetId: Scalars['ID']['output'];
  /**
   * The id of the asset among those of all datasets, for caches of clients. Opaque:
   * it is made of `datasetId` and `assetId`, and stays the same. No argument takes it:
   * assets are asked for by their `assetId`.
   */
  id: Scalars['ID']['output'];
  /**
   * The distinct names of the metrics in all results of the highest version of the
   * asset, in the order of their first appearance. Null if the service reports none.
   * Needs the call of `series` without a filter. It has no arguments, so that
   * other subgraphs can require it.
   */
  metricNames?: Maybe<Array<Scalars['String']['output']>>;
  /** The name of the asset. */
  name?: Maybe<Scalars['String']['output']>;
  /** The parent of the asset. */
  parent?: Maybe<AssetParent>;
  /**
   * The results of the highest version of the asset: the rows of all its entries, in
   * the order received. Null if the service reports none for the filter. Each
   * different filter needs a REST call. Assets with the same filter share one.
   */
  series?: Maybe<AssetSeries>;
  /** The surface area of the asset in square metres. */
  surfaceAreaM2?: Maybe<Scalars['Float']['output']>;
  /** The highest version of the asset. */
  version?: Maybe<Scalars['Int64']['output']>;
};


/**
 * An asset of a dataset. `id`, `datasetId` and `assetId` need no REST call. All
 * other attributes together need one, which all assets of the dataset in the
 * operation share. If an asset has several versions, the attributes are those of the
 * highest.
 */
export type AssetSeriesArgs = {
  filter?: InputMaybe<SeriesFilterInput>;
};

/** The parent of an asset. */
export type AssetParent = {
  __typename?: 'AssetParent';
  /**
   * The parent in the same dataset, by its id. Null if the service sent no id, or
   * reports no such asset in the dataset. Needs no REST call for `datasetId` and
   * `assetId`, and the asset may not exist then.
   */
  asset?: Maybe<Asset>;
  /** The asset id of the parent. */
  assetId?: Maybe<Scalars['ID']['output']>;
  /** The name of the parent. */
  name?: Maybe<Scalars['String']['output']>;
  /** The version of the parent. */
  version?: Maybe<Scalars['Int64']['output']>;
};

/**
 * The results of one asset under one filter: those of one entry of the response, or,
 * as `Asset.series`, of all entries of the asset's highest version.
 */
export type AssetSeries = {
  __typename?: 'AssetSeries';
  /**
   * The asset, with the attributes from the same response. Its `series`, its
   * `dataset` and the asset of its `parent` may need another REST call.
   */
  asset: Asset;
  /**
   * The same rows, column by column, and in the same order without `points`. This form
   * is smaller, and suits plots. Null if the service sent no results.
   */
  columns?: Maybe<SeriesColumns>;
  /**
   * The row with the latest date. If several rows have it, their metrics are joined:
   * the first value of a metric counts, and `valueDate` is that of the first row. A row
   * without a date is passed over; if no row has one, it is the last row. Null without
   * rows, and with an error (UPSTREAM_INVALID_RESPONSE) that names the row, counted from
   * 0, if a date cannot be read.
   */
  latest?: Maybe<Result>;
  /**
   * The distinct names of the metrics, in the order of their first appearance. Null
   * if the service sent no results.
   */
  metricNames?: Maybe<Array<Scalars['String']['output']>>;
  /**
   * The values by period of the calendar in UTC, by the dates that `Result.valueDate`
   * lists. Null with an error (UPSTREAM_INVALID_RESPONSE) that names the row, counted
   * from 0, if it has no date, or one that cannot be read, or if a value has a wrong
   * type. At most 10,000 periods, and 100,000 with those of all metrics
   * (REQUEST_LIMIT_EXCEEDED). Null if the service sent no results.
   */
  periods?: Maybe<AggregatesByDate>;
  /** The number of rows. Null if the service sent no list. */
  rowCount?: Maybe<Scalars['Int']['output']>;
  /** The rows, in the order received. Null if the service sent no list. */
  rows?: Maybe<Array<Result>>;
  /**
   * What the rows are in all, metric by metric, computed from their exact values.
   * Null with an error (UPSTREAM_INVALID_RESPONSE) that names the row, counted from 0,
   * if a date or a value has a wrong type. At most 10,000 metrics
   * (REQUEST_LIMIT_EXCEEDED). Null if the service sent no results.
   */
  statistics?: Maybe<Array<MetricStatistics>>;
  /**
   * The version of the asset that the results belong to. An asset may have entries of
   * several versions.
   */
  version?: Maybe<Scalars['Int64']['output']>;
};


/**
 * The results of one asset under one filter: those of one entry of the response, or,
 * as `Asset.series`, of all entries of the asset's highest version.
 */
export type AssetSeriesColumnsArgs = {
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
  points?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * The results of one asset under one filter: those of one entry of the response, or,
 * as `Asset.series`, of all entries of the asset's highest version.
 */
export type AssetSeriesPeriodsArgs = {
  every: PeriodUnit;
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};


/**
 * The results of one asset under one filter: those of one entry of the response, or,
 * as `Asset.series`, of all entries of the asset's highest version.
 */
export type AssetSeriesRowsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: Scalars['Int']['input'];
};


/**
 * The results of one asset under one filter: those of one entry of the response, or,
 * as `Asset.series`, of all entries of the asset's highest version.
 */
export type AssetSeriesStatisticsArgs = {
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};

/**
 * A page of asset series. To join pages in a client's cache, select `edges`: their
 * cursors say where a page belongs. Select `nodes`, which have none, for all entries at
 * once, or for one page at a time.
 */
export type AssetSeriesConnection = {
  __typename?: 'AssetSeriesConnection';
  /**
   * The entries of the page, each with its cursor. Caches that join pages need
   * these.
   */
  edges: Array<AssetSeriesEdge>;
  /** The entries of the page, without cursors. Not for caches that join pages. */
  nodes: Array<AssetSeries>;
  /** The position of the page among all entries. */
  pageInfo: PageInfo;
  /** The number of all entries, on all pages. */
  totalCount: Scalars['Int']['output'];
};

/** An entry of a page. */
export type AssetSeriesEdge = {
  __typename?: 'AssetSeriesEdge';
  /** The cursor of the entry, for `after`. */
  cursor: Scalars['String']['output'];
  /** The entry. */
  node: AssetSeries;
};

/**
 * A dataset of the platform. Only selected fields cause REST calls: `id` and
 * downloads need none, all metadata fields together need one, and `results`,
 * `asset`, `assetsByIds`, `seriesCount` and `metricNames` need one more.
 *
 * `results { series { nodes { asset { assetId name } metricNames } } }` lists the assets,
 * each with its metrics, and `metricNames` the metrics alone. Both read all results: a
 * time range makes that faster, but may omit assets.
 *
 * An unknown dataset is an error, because a wrong id should not look like missing
 * data. An unknown asset is null, because the assets of a dataset change.
 */
export type Dataset = {
  __typename?: 'Dataset';
  /**
   * One asset of the dataset. Null if the service reports no asset with this id. All
   * single assets of a dataset in one operation share one REST call. If only its ids
   * or its `dataset` are selected, there is no call for the asset, and it may not
   * exist.
   */
  asset?: Maybe<Asset>;
  /** The number of assets in the dataset. */
  assetCount?: Maybe<Scalars['Int']['output']>;
  /**
   * Several assets of the dataset, in the order of `assetIds`. An asset that the
   * service does not report is null. They share the REST call of `asset`, and the same
   * rules apply.
   */
  assetsByIds?: Maybe<Array<Maybe<Asset>>>;
  /** The attribution file, as the service names it. */
  attributionFile?: Maybe<Scalars['String']['output']>;
  /** The attribution as text. */
  attributionText?: Maybe<Scalars['String']['output']>;
  /** The description of the dataset. */
  description?: Maybe<Scalars['String']['output']>;
  /**
   * How to download the dataset as a file, if it is a static dataset. Needs no REST
   * call: the dataset may not exist, or not be a static dataset.
   */
  download?: Maybe<DatasetDownload>;
  /**
   * The URL of the file of a static dataset with the client's token in its query, so
   * that a browser opens it without a header. Such a URL is a secret: it stays in
   * histories, logs and Referer headers, and anyone who reads it can use the token
   * (RFC 6750, section 2.3). Prefer `download { ticketUrl }`. Null with the error
   * FORBIDDEN unless the operator has enabled it. Needs no REST call. Its tag is for
   * contracts, which can leave it out. Other subgraphs must not require it.
   */
  downloadUrlWithToken?: Maybe<Scalars['URL']['output']>;
  /** The id of the dataset, exactly as in the request. */
  id: Scalars['ID']['output'];
  /**
   * The distinct names of the metrics in all results, in the order of their first
   * appearance: `results { metricNames }`. Null if the service reports no results. Needs
   * the call of `results` without a filter. It has no arguments, so that other subgraphs
   * can require it.
   */
  metricNames?: Maybe<Array<Scalars['String']['output']>>;
  /** The name of the dataset. */
  name?: Maybe<Scalars['String']['output']>;
  /**
   * The processing that generated the dataset. Null if the service sent neither its
   * id nor its name.
   */
  processing?: Maybe<DatasetProcessing>;
  /**
   * The content of the dataset: one time series of metrics for each asset. Needs one
   * REST call for each distinct filter. Filters with the same time range are merged
   * into one call.
   */
  results?: Maybe<DatasetResults>;
  /**
   * The number of all entries of the results: `results { series { totalCount } }`. Null
   * if the service sent no list. Needs the call of `results` without a filter. It has
   * no arguments, so that other subgraphs can require it.
   */
  seriesCount?: Maybe<Scalars['Int']['output']>;
  /** Whether the dataset is owned or shared. */
  sharing?: Maybe<DatasetSharing>;
  /**
   * The source that the dataset was generated from. Null if the service sent neither
   * its id nor its name.
   */
  source?: Maybe<DatasetSource>;
  /**
   * The date from which the dataset was computed, as the service sends it. The
   * service does not document its unit; see `startDateTime`.
   */
  startDate?: Maybe<Scalars['Int64']['output']>;
  /**
   * `startDate` as a point in time, in the unit that the operator has set:
   * milliseconds, if not seconds. Null if there is no start date. Null with the
   * error UPSTREAM_INVALID_RESPONSE outside the years 0000 to 9999.
   */
  startDateTime?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The date until which the dataset was computed, as the service sends it. The
   * service does not document its unit; see `stopDateTime`.
   */
  stopDate?: Maybe<Scalars['Int64']['output']>;
  /**
   * `stopDate` as a point in time, in the unit that the operator has set:
   * milliseconds, if not seconds. Null if there is no stop date. Null with the error
   * UPSTREAM_INVALID_RESPONSE outside the years 0000 to 9999.
   */
  stopDateTime?: Maybe<Scalars['DateTime']['output']>;
};


/**
 * A dataset of the platform. Only selected fields cause REST calls: `id` and
 * downloads need none, all metadata fields together need one, and `results`,
 * `asset`, `assetsByIds`, `seriesCount` and `metricNames` need one more.
 *
 * `results { series { nodes { asset { assetId name } metricNames } } }` lists the assets,
 * each with its metrics, and `metricNames` the metrics alone. Both read all results: a
 * time range makes that faster, but may omit assets.
 *
 * An unknown dataset is an error, because a wrong id should not look like missing
 * data. An unknown asset is null, because the assets of a dataset change.
 */
export type DatasetAssetArgs = {
  assetId: Scalars['ID']['input'];
};


/**
 * A dataset of the platform. Only selected fields cause REST calls: `id` and
 * downloads need none, all metadata fields together need one, and `results`,
 * `asset`, `assetsByIds`, `seriesCount` and `metricNames` need one more.
 *
 * `results { series { nodes { asset { assetId name } metricNames } } }` lists the assets,
 * each with its metrics, and `metricNames` the metrics alone. Both read all results: a
 * time range makes that faster, but may omit assets.
 *
 * An unknown dataset is an error, because a wrong id should not look like missing
 * data. An unknown asset is null, because the assets of a dataset change.
 */
export type DatasetAssetsByIdsArgs = {
  assetIds: Array<Scalars['ID']['input']>;
};


/**
 * A dataset of the platform. Only selected fields cause REST calls: `id` and
 * downloads need none, all metadata fields together need one, and `results`,
 * `asset`, `assetsByIds`, `seriesCount` and `metricNames` need one more.
 *
 * `results { series { nodes { asset { assetId name } metricNames } } }` lists the assets,
 * each with its metrics, and `metricNames` the metrics alone. Both read all results: a
 * time range makes that faster, but may omit assets.
 *
 * An unknown dataset is an error, because a wrong id should not look like missing
 * data. An unknown asset is null, because the assets of a dataset change.
 */
export type DatasetResultsArgs = {
  filter?: InputMaybe<ResultsFilterInput>;
};

/** How to download a file: that of a static dataset, or a file of results. */
export type DatasetDownload = {
  __typename?: 'DatasetDownload';
  /** The HTTP method of the download: "GET". */
  method: Scalars['String']['output'];
  /**
   * The request headers for `url`, with a placeholder for the token:
   * "Authorization: Bearer <ACCESS_TOKEN>".
   */
  requiredHeaders: Array<Scalars['String']['output']>;
  /**
   * A URL of this subgraph for the same file that needs no header. It ends with a
   * ticket: what it opens and the client's token, encrypted. A browser, or any program
   * that reads a URL, opens it. It is valid for a short time: five minutes, or as the
   * operator has set. Until then, anyone who has the URL can download this file, and
   * nothing else. Null with the error FORBIDDEN unless the operator has enabled tickets.
   */
  ticketUrl?: Maybe<Scalars['URL']['output']>;
  /**
   * The URL of the file, for a request with `requiredHeaders`. It has no secret. That of
   * a static dataset is at the service, and one of results at this subgraph.
   */
  url?: Maybe<Scalars['URL']['output']>;
};

/** The platform processing that generated a dataset. */
export type DatasetProcessing = {
  __typename?: 'DatasetProcessing';
  /** The id of the processing. */
  id?: Maybe<Scalars['ID']['output']>;
  /** The name of the processing. */
  name?: Maybe<Scalars['String']['output']>;
};

/** The results of a dataset under one filter. */
export type DatasetResults = {
  __typename?: 'DatasetResults';
  /**
   * The values of all assets by date, such as for a chart of their mean and quantiles.
   * Rows without a date are left out. Every entry of an asset counts, those of older
   * versions too. Null with an error (UPSTREAM_INVALID_RESPONSE) that names the row and
   * the series if a date or a value has a wrong type. At most 10,000 metrics, 20,000
   * dates, and 100,000 with those of all metrics (REQUEST_LIMIT_EXCEEDED).
   */
  byDate?: Maybe<AggregatesByDate>;
  /**
   * A file of the values of all assets by date, as `byDate` has them: date, metric,
   * count, sum, mean, standard_deviation, minimum, maximum, and the quantiles. A row for
   * each metric and date. It begins when all results have arrived. What would be an
   * error of `byDate` is one of the download.
   */
  byDateFile?: Maybe<DatasetDownload>;
  /**
   * The distinct names of the metrics of all entries, in the order of their first
   * appearance, those of older versions too. Null if no entry has a list of results, and
   * with an error (UPSTREAM_INVALID_RESPONSE) if one has something else in its place.
   */
  metricNames?: Maybe<Array<Scalars['String']['output']>>;
  /** The id of the processing that generated the results. */
  processingId?: Maybe<Scalars['ID']['output']>;
  /**
   * A file of the rows of these results, made by this subgraph while it is downloaded.
   *
   * This is so for all four files: they need no REST call (if nothing else is selected
   * on the results, there is none, and the dataset may not exist), and no combination of
   * their arguments is invalid. A file is complete or its download breaks. A value that
   * is the text NaN, Infinity or -Infinity (in any case) is missing in the file.
   */
  rowsFile?: Maybe<DatasetDownload>;
  /**
   * The entries of the response, in the order received. Null if the service sent no
   * list. An asset may have several: of several versions, or of one version with
   * other rows or metrics. `Asset.series` has those of its highest version together.
   * A page is a part of one REST response: the next page in another operation
   * repeats the REST call.
   */
  series?: Maybe<AssetSeriesConnection>;
  /**
   * A file of the `periods` of each series: asset_id, asset_name, asset_version, date,
   * metric, count, sum, mean, standard_deviation, minimum, maximum, and the quantiles. A
   * row for each metric and period of each series. What would be an error of `periods`
   * ends the download.
   */
  seriesPeriodsFile?: Maybe<DatasetDownload>;
  /**
   * A file of the `statistics` of each series: asset_id, asset_name, asset_version,
   * metric, count, null_count, sum, mean, standard_deviation, minimum, maximum, first,
   * last, the quantiles, first_date, last_date, minimum_date and maximum_date. A row for
   * each metric of each series. What would be an error of `statistics` ends the download.
   */
  seriesStatisticsFile?: Maybe<DatasetDownload>;
  /** The id of the platform source of the results. */
  sourceId?: Maybe<Scalars['ID']['output']>;
  /**
   * What the rows of all assets are in all, metric by metric, as `statistics` of a
   * series. Every entry of an asset counts, those of older versions too. At most 10,000
   * metrics (REQUEST_LIMIT_EXCEEDED). An error names the row and the series, counted
   * from 0.
   */
  statistics?: Maybe<Array<MetricStatistics>>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsByDateArgs = {
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsByDateFileArgs = {
  format: ResultsFileFormat;
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
  quantiles?: Array<Scalars['Float']['input']>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsRowsFileArgs = {
  format: ResultsFileFormat;
  layout?: ResultsFileLayout;
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsSeriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsSeriesPeriodsFileArgs = {
  every: PeriodUnit;
  format: ResultsFileFormat;
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
  quantiles?: Array<Scalars['Float']['input']>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsSeriesStatisticsFileArgs = {
  format: ResultsFileFormat;
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
  quantiles?: Array<Scalars['Float']['input']>;
};


/** The results of a dataset under one filter. */
export type DatasetResultsStatisticsArgs = {
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** Whether a dataset is owned or shared. */
export type DatasetSharing =
  /** The dataset is not shared. */
  | 'NON_SHARED'
  /** The user of the bearer token owns the dataset. */
  | 'OWNED'
  /** The dataset is shared. */
  | 'SHARED'
  /** The service sent a value that this schema does not know. */
  | 'UNRECOGNIZED';

/** The platform source that a dataset was generated from. */
export type DatasetSource = {
  __typename?: 'DatasetSource';
  /** The id of the source. */
  id?: Maybe<Scalars['ID']['output']>;
  /** The name of the source. */
  name?: Maybe<Scalars['String']['output']>;
};

/** A point on the Earth's surface. */
export type GeoPoint = {
  __typename?: 'GeoPoint';
  /** The latitude, as the service sends it. */
  latitude: Scalars['Float']['output'];
  /** The longitude, as the service sends it. */
  longitude: Scalars['Float']['output'];
};

/** A number with its name. */
export type Metric = {
  __typename?: 'Metric';
  /** The name or identifier of the metric. */
  name?: Maybe<Scalars['String']['output']>;
  /**
   * The number. The service does not send its unit. Null with an error
   * (UPSTREAM_INVALID_RESPONSE) for anything but a number, also for the texts NaN,
   * Infinity and -Infinity: what is computed from rows has no value there.
   */
  value?: Maybe<Scalars['Float']['output']>;
};

/**
 * One metric by date. Lists have null where a date has no value. What a value is, how
 * exact sums, means and deviations are, and what quantiles are, `MetricStatistics` says.
 */
export type MetricAggregates = {
  __typename?: 'MetricAggregates';
  /** The number of values. */
  counts: Array<Scalars['Int']['output']>;
  /** The highest values. */
  maximums: Array<Maybe<Scalars['Float']['output']>>;
  /** The means of the values. */
  means: Array<Maybe<Scalars['Float']['output']>>;
  /** The lowest values. */
  minimums: Array<Maybe<Scalars['Float']['output']>>;
  /** The name of the metric. */
  name: Scalars['String']['output'];
  /**
   * Quantiles of the values: a list for each entry of the argument, in its order. Null
   * with an error (REQUEST_LIMIT_EXCEEDED) if all metrics of the field have more than
   * 5,000,000 values together.
   */
  quantiles?: Maybe<Array<Array<Maybe<Scalars['Float']['output']>>>>;
  /** The standard deviations of the values, of the population. */
  standardDeviations: Array<Maybe<Scalars['Float']['output']>>;
  /** The sums of the values. Null also where a sum is beyond the range of a Float. */
  sums: Array<Maybe<Scalars['Float']['output']>>;
};


/**
 * One metric by date. Lists have null where a date has no value. What a value is, how
 * exact sums, means and deviations are, and what quantiles are, `MetricStatistics` says.
 */
export type MetricAggregatesQuantilesArgs = {
  of: Array<Scalars['Float']['input']>;
};

/** All values of one metric. */
export type MetricColumn = {
  __typename?: 'MetricColumn';
  /** The name of the metric. */
  name: Scalars['String']['output'];
  /**
   * The value of each row. Null if the row does not have the metric. If the row
   * repeats the metric, the first one counts.
   */
  values: Array<Maybe<Scalars['Float']['output']>>;
};

/** A value of a metric, where and when it was. */
export type MetricPoint = {
  __typename?: 'MetricPoint';
  /** The `assetId` of its asset. */
  assetId: Scalars['ID']['output'];
  /** The value. */
  value: Scalars['Float']['output'];
  /** The date of its row, as the service sends it. Null if it sent none. */
  valueDate?: Maybe<Scalars['String']['output']>;
};

/**
 * The statistics of one metric. A row without the metric has no value, and one whose
 * value is the text NaN, Infinity or -Infinity (in any case) has none either. If a row
 * repeats the metric, the first one counts.
 */
export type MetricStatistics = {
  __typename?: 'MetricStatistics';
  /** The number of rows with a value. */
  count: Scalars['Int']['output'];
  /**
   * The earliest row that has a value, by the dates that `Result.valueDate` lists. Of
   * equal dates, the first row. A row without a date is passed over, unless no row with a
   * value has one: then the order of the rows decides. If such a date cannot be read,
   * this field and `last` are null with an error (UPSTREAM_INVALID_RESPONSE) that names
   * the row, counted from 0.
   */
  first?: Maybe<MetricPoint>;
  /** The latest row that has a value, in the same way: of equal dates, the last row. */
  last?: Maybe<MetricPoint>;
  /**
   * The highest value. If it occurs several times, the one received first. Null if no row
   * has a value.
   */
  maximum?: Maybe<MetricPoint>;
  /** The mean of the values, as exact as their sum. Null if no row has a value. */
  mean?: Maybe<Scalars['Float']['output']>;
  /**
   * The lowest value. If it occurs several times, the one received first. Null if no row
   * has a value.
   */
  minimum?: Maybe<MetricPoint>;
  /** The name of the metric. */
  name: Scalars['String']['output'];
  /**
   * The number of rows without a value: absent, null, or the text NaN, Infinity or
   * -Infinity.
   */
  nullCount: Scalars['Int']['output'];
  /**
   * Quantiles of the values, in the order of the argument: exact, linear between ranks
   * (type 7). Null each if no row has a value. Null with an error
   * (REQUEST_LIMIT_EXCEEDED) if all metrics of the field have more than 5,000,000 values
   * together.
   */
  quantiles?: Maybe<Array<Maybe<Scalars['Float']['output']>>>;
  /**
   * The standard deviation of the population: 0 for one value, null for none. Its
   * relative error is below 1e-9; differences of less than 1e-150 count as none.
   */
  standardDeviation?: Maybe<Scalars['Float']['output']>;
  /**
   * The sum of the values: the error is at most 4 units in the last place, unless nearly
   * all of the values cancel out. Null if no row has a value, or if the sum is beyond the
   * range of a Float.
   */
  sum?: Maybe<Scalars['Float']['output']>;
};


/**
 * The statistics of one metric. A row without the metric has no value, and one whose
 * value is the text NaN, Infinity or -Infinity (in any case) has none either. If a row
 * repeats the metric, the first one counts.
 */
export type MetricStatisticsQuantilesArgs = {
  of: Array<Scalars['Float']['input']>;
};

/** The position of a page among all entries. */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** The cursor of the last entry of the page. Null for an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether entries follow this page. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether entries precede this page. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first entry of the page. Null for an empty page. */
  startCursor?: Maybe<Scalars['String']['output']>;
};

/** A period of the Gregorian calendar. */
export type PeriodUnit =
  /** A day. */
  | 'DAY'
  /** A month. */
  | 'MONTH'
  /** Three months, from January, April, July or October on. */
  | 'QUARTER'
  /** A week of ISO 8601, from Monday on. */
  | 'WEEK'
  /** A year. */
  | 'YEAR';

/**
 * The root of all queries. The REST service has no operation that lists datasets:
 * copy the id of a dataset from a collection dashboard of the platform.
 *
 * A field is null, without an error, if the service sent no value for it. A field
 * that fails is null, with an error at its path, whose `extensions.code` is one of
 * these:
 *
 * - `BAD_USER_INPUT`: an invalid id, filter, cursor or variable.
 * - `UNAUTHENTICATED`: no bearer token, or one that the service does not accept.
 * - `FORBIDDEN`: the token may not read this, or the operator has not enabled it.
 * - `NOT_FOUND`: the service has nothing under this id.
 * - `CONFLICT`: the service reports a duplicate entity.
 * - `RATE_LIMITED`: too many requests. Wait.
 * - `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`: the service did not respond. Retry.
 * - `UPSTREAM_ERROR`, `UPSTREAM_REJECTED`, `UPSTREAM_CONTRACT_ERROR`: the service
 *   failed, or refused the call.
 * - `UPSTREAM_INVALID_RESPONSE`: the response of the service, or one field of it, is
 *   invalid.
 * - `UPSTREAM_RESPONSE_TOO_LARGE`: more data than this subgraph accepts.
 * - `REQUEST_LIMIT_EXCEEDED`: more than a limit allows. The message names the limit.
 * - `INTERNAL_SERVER_ERROR`: a fault of this subgraph.
 */
export type Query = {
  __typename?: 'Query';
  /**
   * One dataset. Null with an error if the id is invalid (BAD_USER_INPUT). If
   * metadata fields are selected, also null with an error if the service does not
   * know the dataset (NOT_FOUND) or rejects the token (UNAUTHENTICATED).
   */
  dataset?: Maybe<Dataset>;
  /**
   * Several datasets, in the order of `ids`. A dataset that fails is null, and the
   * others are not affected. Each distinct dataset needs the same REST calls as on
   * its own. A repeated id needs no further call.
   */
  datasetsByIds?: Maybe<Array<Maybe<Dataset>>>;
};


/**
 * The root of all queries. The REST service has no operation that lists datasets:
 * copy the id of a dataset from a collection dashboard of the platform.
 *
 * A field is null, without an error, if the service sent no value for it. A field
 * that fails is null, with an error at its path, whose `extensions.code` is one of
 * these:
 *
 * - `BAD_USER_INPUT`: an invalid id, filter, cursor or variable.
 * - `UNAUTHENTICATED`: no bearer token, or one that the service does not accept.
 * - `FORBIDDEN`: the token may not read this, or the operator has not enabled it.
 * - `NOT_FOUND`: the service has nothing under this id.
 * - `CONFLICT`: the service reports a duplicate entity.
 * - `RATE_LIMITED`: too many requests. Wait.
 * - `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`: the service did not respond. Retry.
 * - `UPSTREAM_ERROR`, `UPSTREAM_REJECTED`, `UPSTREAM_CONTRACT_ERROR`: the service
 *   failed, or refused the call.
 * - `UPSTREAM_INVALID_RESPONSE`: the response of the service, or one field of it, is
 *   invalid.
 * - `UPSTREAM_RESPONSE_TOO_LARGE`: more data than this subgraph accepts.
 * - `REQUEST_LIMIT_EXCEEDED`: more than a limit allows. The message names the limit.
 * - `INTERNAL_SERVER_ERROR`: a fault of this subgraph.
 */
export type QueryDatasetArgs = {
  id: Scalars['ID']['input'];
};


/**
 * The root of all queries. The REST service has no operation that lists datasets:
 * copy the id of a dataset from a collection dashboard of the platform.
 *
 * A field is null, without an error, if the service sent no value for it. A field
 * that fails is null, with an error at its path, whose `extensions.code` is one of
 * these:
 *
 * - `BAD_USER_INPUT`: an invalid id, filter, cursor or variable.
 * - `UNAUTHENTICATED`: no bearer token, or one that the service does not accept.
 * - `FORBIDDEN`: the token may not read this, or the operator has not enabled it.
 * - `NOT_FOUND`: the service has nothing under this id.
 * - `CONFLICT`: the service reports a duplicate entity.
 * - `RATE_LIMITED`: too many requests. Wait.
 * - `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`: the service did not respond. Retry.
 * - `UPSTREAM_ERROR`, `UPSTREAM_REJECTED`, `UPSTREAM_CONTRACT_ERROR`: the service
 *   failed, or refused the call.
 * - `UPSTREAM_INVALID_RESPONSE`: the response of the service, or one field of it, is
 *   invalid.
 * - `UPSTREAM_RESPONSE_TOO_LARGE`: more data than this subgraph accepts.
 * - `REQUEST_LIMIT_EXCEEDED`: more than a limit allows. The message names the limit.
 * - `INTERNAL_SERVER_ERROR`: a fault of this subgraph.
 */
export type QueryDatasetsByIdsArgs = {
  ids: Array<Scalars['ID']['input']>;
};

/** The metrics of one date. */
export type Result = {
  __typename?: 'Result';
  /**
   * The metrics of this row, in the order received. Null if the service sent no
   * list.
   */
  metrics?: Maybe<Array<Metric>>;
  /**
   * The value of one metric of this row. If the row repeats the name, the first one
   * counts. Null if the row has no such metric, or the metric has no value.
   */
  value?: Maybe<Scalars['Float']['output']>;
  /**
   * The date of the result, as the service sends it. The service does not document
   * its format.
   *
   * What is computed from rows reads dates of RFC 3339, and these forms of ISO 8601:
   * "2024-03-01" or "20240301", a month "2024-03", a year "2024", and a time of day
   * behind a date: "2024-03-01T12:00", with seconds, with a fraction behind a point or
   * a comma, with a space for the T, or "20240301T1200". An offset is "Z", "+01:00",
   * "+0100" or "+01", and may have a zone behind it, such as "[Europe/Paris]", which
   * changes nothing. Dates without an offset are in UTC; a month or a year is its
   * start; a leap second is the start of the next minute. Dates are compared exactly,
   * to nine digits of a second. Further digits are cut off.
   */
  valueDate?: Maybe<Scalars['String']['output']>;
};


/** The metrics of one date. */
export type ResultMetricsArgs = {
  metrics?: InputMaybe<Array<Scalars['String']['input']>>;
};


/** The metrics of one date. */
export type ResultValueArgs = {
  metric: Scalars['String']['input'];
};

/** The format of a file of results. */
export type ResultsFileFormat =
  /**
   * The file format of Apache Arrow (Feather version 2), like PARQUET. Columns of text
   * have dictionaries, unless they have very many different texts.
   */
  | 'ARROW'
  /**
   * Comma-separated values in UTF-8 with a header (RFC 4180), for programs. An empty
   * field is null, and "" is an empty text.
   */
  | 'CSV'
  /**
   * CSV for people who open it in a spreadsheet. It begins with a byte order mark. An
   * apostrophe precedes text that a spreadsheet would run as a formula or change, such
   * as 01001, 3E5 or 1-2. Dates are in UTC, as in "2024-03-01 12:00:00", or days, and the
   * names of their columns end in `_utc`. A date that cannot be read stays as received.
   */
  | 'CSV_SPREADSHEET'
  /** A JSON object in each line. Integers of 64 bits are JSON numbers. */
  | 'NDJSON'
  /**
   * Apache Parquet, compressed. A column of dates has dates (the first day) if each of
   * its dates is a day, a month or a year (see `Result.valueDate`), and timestamps in
   * UTC, of milliseconds, microseconds or nanoseconds, if each is one of these or a
   * date-time, or if there are none. If one is neither, a leap second, or has digits
   * that would be lost, the column has text. The key-value metadata has the dataset, its
   * attribution, the filter and the time of creation; that of rows also has the type of
   * the dates and, as `invalid_values`, the number of values that are missing because
   * they are the text NaN, Infinity or -Infinity. Needs the metadata call when it is
   * downloaded. It begins when all results have arrived.
   */
  | 'PARQUET';

/**
 * What a row of a file of rows is. Both layouts begin with the columns asset_id,
 * asset_name, asset_version and value_date.
 */
export type ResultsFileLayout =
  /**
   * A row for each metric of each date, with the columns metric and value. CSV and NDJSON
   * begin when the first results have arrived.
   */
  | 'LONG'
  /**
   * A row for each date, with a column for each metric. Without the argument `metrics`
   * the file begins when all results have arrived.
   */
  | 'WIDE';

/** A filter of results. A field that is absent or null does not filter. */
export type ResultsFilterInput = {
  /**
   * Only these assets. Each id has 1 to 200 characters. A repeated id counts once.
   * An empty list gives no assets, without a REST call. At most 10,000 in an
   * operation, with repetitions.
   */
  assetIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Only results within this range. */
  timeRange?: InputMaybe<TimeRangeInput>;
};

/** The rows of a series, column by column. */
export type SeriesColumns = {
  __typename?: 'SeriesColumns';
  /** One column for each metric. */
  metrics: Array<MetricColumn>;
  /** The number of rows of the columns: the length of each. */
  rowCount: Scalars['Int']['output'];
  /** The date of each row, as the service sends it. Null if it sent none. */
  valueDates: Array<Maybe<Scalars['String']['output']>>;
};

/** A filter of the series of an asset. A field that is absent or null does not filter. */
export type SeriesFilterInput = {
  /** Only results within this range. */
  timeRange?: InputMaybe<TimeRangeInput>;
};

/**
 * A time range with at least one bound. Its start must not be after its stop; the same
 * day as both is that day. The service does not document whether the bounds belong to
 * the range; it receives them as milliseconds.
 */
export type TimeRangeInput = {
  /** The start of the range. Absent or null: no lower bound is sent. */
  start?: InputMaybe<Scalars['TimeBound']['input']>;
  /** The end of the range. Absent or null: no upper bound is sent. */
  stop?: InputMaybe<Scalars['TimeBound']['input']>;
};
