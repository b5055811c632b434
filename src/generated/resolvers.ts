import type * as Schema from './schema.ts';
import type { Asset, Dataset } from './schema.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AssetModel, AssetParentModel, AssetSeriesModel, AssetSeriesConnectionModel, DatasetModel, DatasetDownloadModel, NamedModel, DatasetResultsModel, GeoPointModel } from '../graphql/models.ts';
import type { OperationContext } from '../graphql/context.ts';
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };


export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Schema.Maybe<T> extends T ? Schema.Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Schema.Maybe<TTypes> | Promise<Schema.Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  Asset: Asset;
  Dataset: Dataset;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Asset:
    ( { __typename: 'Asset' }
    & GraphQLRecursivePick<FederationTypes['Asset'], {"datasetId":true,"assetId":true}> );
  Dataset:
    ( { __typename: 'Dataset' }
    & GraphQLRecursivePick<FederationTypes['Dataset'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AggregatesByDate: ResolverTypeWrapper<Schema.AggregatesByDate>;
  String: ResolverTypeWrapper<Schema.Scalars['String']['output']>;
  Asset: ResolverTypeWrapper<AssetModel>;
  ID: ResolverTypeWrapper<Schema.Scalars['ID']['output']>;
  Float: ResolverTypeWrapper<Schema.Scalars['Float']['output']>;
  AssetParent: ResolverTypeWrapper<AssetParentModel>;
  AssetSeries: ResolverTypeWrapper<AssetSeriesModel>;
  Int: ResolverTypeWrapper<Schema.Scalars['Int']['output']>;
  AssetSeriesConnection: ResolverTypeWrapper<AssetSeriesConnectionModel>;
  AssetSeriesEdge: ResolverTypeWrapper<Omit<Schema.AssetSeriesEdge, 'node'> & { node: ResolversTypes['AssetSeries'] }>;
  Dataset: ResolverTypeWrapper<DatasetModel>;
  DatasetDownload: ResolverTypeWrapper<DatasetDownloadModel>;
  DatasetProcessing: ResolverTypeWrapper<NamedModel>;
  DatasetResults: ResolverTypeWrapper<DatasetResultsModel>;
  DatasetSharing: Schema.DatasetSharing;
  DatasetSource: ResolverTypeWrapper<NamedModel>;
  DateTime: ResolverTypeWrapper<Schema.Scalars['DateTime']['output']>;
  GeoPoint: ResolverTypeWrapper<GeoPointModel>;
  Int64: ResolverTypeWrapper<Schema.Scalars['Int64']['output']>;
  Metric: ResolverTypeWrapper<Schema.Metric>;
  MetricAggregates: ResolverTypeWrapper<Schema.MetricAggregates>;
  MetricColumn: ResolverTypeWrapper<Schema.MetricColumn>;
  MetricPoint: ResolverTypeWrapper<Schema.MetricPoint>;
  MetricStatistics: ResolverTypeWrapper<Schema.MetricStatistics>;
  PageInfo: ResolverTypeWrapper<Schema.PageInfo>;
  Boolean: ResolverTypeWrapper<Schema.Scalars['Boolean']['output']>;
  PeriodUnit: Schema.PeriodUnit;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Result: ResolverTypeWrapper<Schema.Result>;
  ResultsFileFormat: Schema.ResultsFileFormat;
  ResultsFileLayout: Schema.ResultsFileLayout;
  ResultsFilterInput: Schema.ResultsFilterInput;
  SeriesColumns: ResolverTypeWrapper<Schema.SeriesColumns>;
  SeriesFilterInput: Schema.SeriesFilterInput;
  TimeBound: ResolverTypeWrapper<Schema.Scalars['TimeBound']['output']>;
  TimeRangeInput: Schema.TimeRangeInput;
  URL: ResolverTypeWrapper<Schema.Scalars['URL']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AggregatesByDate: Schema.AggregatesByDate;
  String: Schema.Scalars['String']['output'];
  Asset: AssetModel;
  ID: Schema.Scalars['ID']['output'];
  Float: Schema.Scalars['Float']['output'];
  AssetParent: AssetParentModel;
  AssetSeries: AssetSeriesModel;
  Int: Schema.Scalars['Int']['output'];
  AssetSeriesConnection: AssetSeriesConnectionModel;
  AssetSeriesEdge: Omit<Schema.AssetSeriesEdge, 'node'> & { node: ResolversParentTypes['AssetSeries'] };
  Dataset: DatasetModel;
  DatasetDownload: DatasetDownloadModel;
  DatasetProcessing: NamedModel;
  DatasetResults: DatasetResultsModel;
  DatasetSource: NamedModel;
  DateTime: Schema.Scalars['DateTime']['output'];
  GeoPoint: GeoPointModel;
  Int64: Schema.Scalars['Int64']['output'];
  Metric: Schema.Metric;
  MetricAggregates: Schema.MetricAggregates;
  MetricColumn: Schema.MetricColumn;
  MetricPoint: Schema.MetricPoint;
  MetricStatistics: Schema.MetricStatistics;
  PageInfo: Schema.PageInfo;
  Boolean: Schema.Scalars['Boolean']['output'];
  Query: Record<PropertyKey, never>;
  Result: Schema.Result;
  ResultsFilterInput: Schema.ResultsFilterInput;
  SeriesColumns: Schema.SeriesColumns;
  SeriesFilterInput: Schema.SeriesFilterInput;
  TimeBound: Schema.Scalars['TimeBound']['output'];
  TimeRangeInput: Schema.TimeRangeInput;
  URL: Schema.Scalars['URL']['output'];
};

export type AggregatesByDateResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['AggregatesByDate'] = ResolversParentTypes['AggregatesByDate']> = {
  dates?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  metrics?: Resolver<Array<ResolversTypes['MetricAggregates']>, ParentType, ContextType>;
};

export type AssetResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Asset'] = ResolversParentTypes['Asset'], FederationReferenceType extends FederationReferenceTypes['Asset'] = FederationReferenceTypes['Asset']> = {
  __resolveReference?: ReferenceResolver<Schema.Maybe<ResolversTypes['Asset']> | FederationReferenceType, FederationReferenceType, ContextType>;
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  categories?: Resolver<Schema.Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  centroid?: Resolver<Schema.Maybe<ResolversTypes['GeoPoint']>, ParentType, ContextType>;
  dataset?: Resolver<Schema.Maybe<ResolversTypes['Dataset']>, ParentType, ContextType>;
  datasetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  metricNames?: Resolver<Schema.Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  parent?: Resolver<Schema.Maybe<ResolversTypes['AssetParent']>, ParentType, ContextType>;
  series?: Resolver<Schema.Maybe<ResolversTypes['AssetSeries']>, ParentType, ContextType, Partial<Schema.AssetSeriesArgs>>;
  surfaceAreaM2?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  version?: Resolver<Schema.Maybe<ResolversTypes['Int64']>, ParentType, ContextType>;
};

export type AssetParentResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['AssetParent'] = ResolversParentTypes['AssetParent']> = {
  asset?: Resolver<Schema.Maybe<ResolversTypes['Asset']>, ParentType, ContextType>;
  assetId?: Resolver<Schema.Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<Schema.Maybe<ResolversTypes['Int64']>, ParentType, ContextType>;
};

export type AssetSeriesResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['AssetSeries'] = ResolversParentTypes['AssetSeries']> = {
  asset?: Resolver<ResolversTypes['Asset'], ParentType, ContextType>;
  columns?: Resolver<Schema.Maybe<ResolversTypes['SeriesColumns']>, ParentType, ContextType, Partial<Schema.AssetSeriesColumnsArgs>>;
  latest?: Resolver<Schema.Maybe<ResolversTypes['Result']>, ParentType, ContextType>;
  metricNames?: Resolver<Schema.Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  periods?: Resolver<Schema.Maybe<ResolversTypes['AggregatesByDate']>, ParentType, ContextType, RequireFields<Schema.AssetSeriesPeriodsArgs, 'every'>>;
  rowCount?: Resolver<Schema.Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  rows?: Resolver<Schema.Maybe<Array<ResolversTypes['Result']>>, ParentType, ContextType, RequireFields<Schema.AssetSeriesRowsArgs, 'offset'>>;
  statistics?: Resolver<Schema.Maybe<Array<ResolversTypes['MetricStatistics']>>, ParentType, ContextType, Partial<Schema.AssetSeriesStatisticsArgs>>;
  version?: Resolver<Schema.Maybe<ResolversTypes['Int64']>, ParentType, ContextType>;
};

export type AssetSeriesConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['AssetSeriesConnection'] = ResolversParentTypes['AssetSeriesConnection']> = {
  edges?: Resolver<Array<ResolversTypes['AssetSeriesEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['AssetSeries']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AssetSeriesEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['AssetSeriesEdge'] = ResolversParentTypes['AssetSeriesEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AssetSeries'], ParentType, ContextType>;
};

export type DatasetResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Dataset'] = ResolversParentTypes['Dataset'], FederationReferenceType extends FederationReferenceTypes['Dataset'] = FederationReferenceTypes['Dataset']> = {
  __resolveReference?: ReferenceResolver<Schema.Maybe<ResolversTypes['Dataset']> | FederationReferenceType, FederationReferenceType, ContextType>;
  asset?: Resolver<Schema.Maybe<ResolversTypes['Asset']>, ParentType, ContextType, RequireFields<Schema.DatasetAssetArgs, 'assetId'>>;
  assetCount?: Resolver<Schema.Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  assetsByIds?: Resolver<Schema.Maybe<Array<Schema.Maybe<ResolversTypes['Asset']>>>, ParentType, ContextType, RequireFields<Schema.DatasetAssetsByIdsArgs, 'assetIds'>>;
  attributionFile?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  attributionText?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  description?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  download?: Resolver<Schema.Maybe<ResolversTypes['DatasetDownload']>, ParentType, ContextType>;
  downloadUrlWithToken?: Resolver<Schema.Maybe<ResolversTypes['URL']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  metricNames?: Resolver<Schema.Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  processing?: Resolver<Schema.Maybe<ResolversTypes['DatasetProcessing']>, ParentType, ContextType>;
  results?: Resolver<Schema.Maybe<ResolversTypes['DatasetResults']>, ParentType, ContextType, Partial<Schema.DatasetResultsArgs>>;
  seriesCount?: Resolver<Schema.Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  sharing?: Resolver<Schema.Maybe<ResolversTypes['DatasetSharing']>, ParentType, ContextType>;
  source?: Resolver<Schema.Maybe<ResolversTypes['DatasetSource']>, ParentType, ContextType>;
  startDate?: Resolver<Schema.Maybe<ResolversTypes['Int64']>, ParentType, ContextType>;
  startDateTime?: Resolver<Schema.Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  stopDate?: Resolver<Schema.Maybe<ResolversTypes['Int64']>, ParentType, ContextType>;
  stopDateTime?: Resolver<Schema.Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type DatasetDownloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['DatasetDownload'] = ResolversParentTypes['DatasetDownload']> = {
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  requiredHeaders?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  ticketUrl?: Resolver<Schema.Maybe<ResolversTypes['URL']>, ParentType, ContextType>;
  url?: Resolver<Schema.Maybe<ResolversTypes['URL']>, ParentType, ContextType>;
};

export type DatasetProcessingResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['DatasetProcessing'] = ResolversParentTypes['DatasetProcessing']> = {
  id?: Resolver<Schema.Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DatasetResultsResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['DatasetResults'] = ResolversParentTypes['DatasetResults']> = {
  byDate?: Resolver<Schema.Maybe<ResolversTypes['AggregatesByDate']>, ParentType, ContextType, Partial<Schema.DatasetResultsByDateArgs>>;
  byDateFile?: Resolver<Schema.Maybe<ResolversTypes['DatasetDownload']>, ParentType, ContextType, RequireFields<Schema.DatasetResultsByDateFileArgs, 'format' | 'quantiles'>>;
  metricNames?: Resolver<Schema.Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  processingId?: Resolver<Schema.Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  rowsFile?: Resolver<Schema.Maybe<ResolversTypes['DatasetDownload']>, ParentType, ContextType, RequireFields<Schema.DatasetResultsRowsFileArgs, 'format' | 'layout'>>;
  series?: Resolver<Schema.Maybe<ResolversTypes['AssetSeriesConnection']>, ParentType, ContextType, Partial<Schema.DatasetResultsSeriesArgs>>;
  seriesPeriodsFile?: Resolver<Schema.Maybe<ResolversTypes['DatasetDownload']>, ParentType, ContextType, RequireFields<Schema.DatasetResultsSeriesPeriodsFileArgs, 'every' | 'format' | 'quantiles'>>;
  seriesStatisticsFile?: Resolver<Schema.Maybe<ResolversTypes['DatasetDownload']>, ParentType, ContextType, RequireFields<Schema.DatasetResultsSeriesStatisticsFileArgs, 'format' | 'quantiles'>>;
  sourceId?: Resolver<Schema.Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  statistics?: Resolver<Schema.Maybe<Array<ResolversTypes['MetricStatistics']>>, ParentType, ContextType, Partial<Schema.DatasetResultsStatisticsArgs>>;
};

export type DatasetSourceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['DatasetSource'] = ResolversParentTypes['DatasetSource']> = {
  id?: Resolver<Schema.Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type GeoPointResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GeoPoint'] = ResolversParentTypes['GeoPoint']> = {
  latitude?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  longitude?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export interface Int64ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Int64'], any> {
  name: 'Int64';
}

export type MetricResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Metric'] = ResolversParentTypes['Metric']> = {
  name?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  value?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type MetricAggregatesResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MetricAggregates'] = ResolversParentTypes['MetricAggregates']> = {
  counts?: Resolver<Array<ResolversTypes['Int']>, ParentType, ContextType>;
  maximums?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
  means?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
  minimums?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  quantiles?: Resolver<Schema.Maybe<Array<Array<Schema.Maybe<ResolversTypes['Float']>>>>, ParentType, ContextType, RequireFields<Schema.MetricAggregatesQuantilesArgs, 'of'>>;
  standardDeviations?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
  sums?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
};

export type MetricColumnResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MetricColumn'] = ResolversParentTypes['MetricColumn']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  values?: Resolver<Array<Schema.Maybe<ResolversTypes['Float']>>, ParentType, ContextType>;
};

export type MetricPointResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MetricPoint'] = ResolversParentTypes['MetricPoint']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  valueDate?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type MetricStatisticsResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MetricStatistics'] = ResolversParentTypes['MetricStatistics']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  first?: Resolver<Schema.Maybe<ResolversTypes['MetricPoint']>, ParentType, ContextType>;
  last?: Resolver<Schema.Maybe<ResolversTypes['MetricPoint']>, ParentType, ContextType>;
  maximum?: Resolver<Schema.Maybe<ResolversTypes['MetricPoint']>, ParentType, ContextType>;
  mean?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  minimum?: Resolver<Schema.Maybe<ResolversTypes['MetricPoint']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  nullCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  quantiles?: Resolver<Schema.Maybe<Array<Schema.Maybe<ResolversTypes['Float']>>>, ParentType, ContextType, RequireFields<Schema.MetricStatisticsQuantilesArgs, 'of'>>;
  standardDeviation?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  sum?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  dataset?: Resolver<Schema.Maybe<ResolversTypes['Dataset']>, ParentType, ContextType, RequireFields<Schema.QueryDatasetArgs, 'id'>>;
  datasetsByIds?: Resolver<Schema.Maybe<Array<Schema.Maybe<ResolversTypes['Dataset']>>>, ParentType, ContextType, RequireFields<Schema.QueryDatasetsByIdsArgs, 'ids'>>;
};

export type ResultResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Result'] = ResolversParentTypes['Result']> = {
  metrics?: Resolver<Schema.Maybe<Array<ResolversTypes['Metric']>>, ParentType, ContextType, Partial<Schema.ResultMetricsArgs>>;
  value?: Resolver<Schema.Maybe<ResolversTypes['Float']>, ParentType, ContextType, RequireFields<Schema.ResultValueArgs, 'metric'>>;
  valueDate?: Resolver<Schema.Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SeriesColumnsResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SeriesColumns'] = ResolversParentTypes['SeriesColumns']> = {
  metrics?: Resolver<Array<ResolversTypes['MetricColumn']>, ParentType, ContextType>;
  rowCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  valueDates?: Resolver<Array<Schema.Maybe<ResolversTypes['String']>>, ParentType, ContextType>;
};

export interface TimeBoundScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['TimeBound'], any> {
  name: 'TimeBound';
}

export interface UrlScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['URL'], any> {
  name: 'URL';
}

export type Resolvers<ContextType = OperationContext> = {
  AggregatesByDate?: AggregatesByDateResolvers<ContextType>;
  Asset?: AssetResolvers<ContextType>;
  AssetParent?: AssetParentResolvers<ContextType>;
  AssetSeries?: AssetSeriesResolvers<ContextType>;
  AssetSeriesConnection?: AssetSeriesConnectionResolvers<ContextType>;
  AssetSeriesEdge?: AssetSeriesEdgeResolvers<ContextType>;
  Dataset?: DatasetResolvers<ContextType>;
  DatasetDownload?: DatasetDownloadResolvers<ContextType>;
  DatasetProcessing?: DatasetProcessingResolvers<ContextType>;
  DatasetResults?: DatasetResultsResolvers<ContextType>;
  DatasetSource?: DatasetSourceResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  GeoPoint?: GeoPointResolvers<ContextType>;
  Int64?: GraphQLScalarType;
  Metric?: MetricResolvers<ContextType>;
  MetricAggregates?: MetricAggregatesResolvers<ContextType>;
  MetricColumn?: MetricColumnResolvers<ContextType>;
  MetricPoint?: MetricPointResolvers<ContextType>;
  MetricStatistics?: MetricStatisticsResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Result?: ResultResolvers<ContextType>;
  SeriesColumns?: SeriesColumnsResolvers<ContextType>;
  TimeBound?: GraphQLScalarType;
  URL?: GraphQLScalarType;
};

