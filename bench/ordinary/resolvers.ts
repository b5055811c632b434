import { GraphQLScalarType } from 'graphql';
import { toAggregatesByDate, toMonths, toStatistics } from './aggregates.ts';
import type { AssetResult, DatasetMetadata, DatasetResults, DatasetsAPI, Result } from './datasets-api.ts';

export interface ContextValue {
  dataSources: { datasetsAPI: DatasetsAPI };
}

/** An asset's entry in a results response, with the id of its dataset. */
type Asset = AssetResult & { datasetId: string };

async function getAsset(datasetId: string, assetId: string, { dataSources }: ContextValue): Promise<Asset | null> {
  const asset = await dataSources.datasetsAPI.getAsset(datasetId, assetId);
  return asset === undefined ? null : { ...asset, datasetId };
}

function toDateTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

function named(id: string | undefined, name: string | undefined) {
  return id === undefined && name === undefined ? null : { id, name };
}

function toColumns(results: Result[]) {
  const columns = new Map<string, (number | null)[]>();
  for (const [row, { metrics }] of results.entries()) {
    for (const { name, value } of metrics ?? []) {
      if (name === undefined) continue;
      let values = columns.get(name);
      if (values === undefined) {
        values = new Array<number | null>(results.length).fill(null);
        columns.set(name, values);
      }
      values[row] = value ?? null;
    }
  }
  return {
    rowCount: results.length,
    valueDates: results.map(({ value_date }) => value_date ?? null),
    metrics: Array.from(columns, ([name, values]) => ({ name, values })),
  };
}

function allRows(assets: AssetResult[]): Result[] {
  return assets.flatMap(({ results }) => results ?? []);
}

export const resolvers = {
  Int64: new GraphQLScalarType({ name: 'Int64', serialize: String }),
  DateTime: new GraphQLScalarType({ name: 'DateTime', serialize: String }),
  Query: {
    dataset: (_: unknown, { id }: { id: string }, { dataSources }: ContextValue) =>
      dataSources.datasetsAPI.getDataset(id),
    datasetsByIds: (_: unknown, { ids }: { ids: string[] }, { dataSources }: ContextValue) =>
      ids.map((id) => dataSources.datasetsAPI.getDataset(id)),
  },
  Dataset: {
    __resolveReference: ({ id }: { id: string }, { dataSources }: ContextValue) =>
      dataSources.datasetsAPI.getDataset(id),
    assetCount: ({ asset_count }: DatasetMetadata) => asset_count,
    sharing: ({ sharedOption }: DatasetMetadata) => sharedOption,
    processing: ({ processing_id, processing_name }: DatasetMetadata) => named(processing_id, processing_name),
    source: ({ source_id, source_name }: DatasetMetadata) => named(source_id, source_name),
    startDate: ({ start_date }: DatasetMetadata) => start_date,
    stopDate: ({ stop_date }: DatasetMetadata) => stop_date,
    startDateTime: ({ start_date }: DatasetMetadata) => toDateTime(start_date),
    stopDateTime: ({ stop_date }: DatasetMetadata) => toDateTime(stop_date),
    results: async ({ id }: DatasetMetadata, _: unknown, { dataSources }: ContextValue) => ({
      ...(await dataSources.datasetsAPI.getResults(id)),
      datasetId: id,
    }),
    asset: ({ id }: DatasetMetadata, { assetId }: { assetId: string }, context: ContextValue) =>
      getAsset(id, assetId, context),
  },
  DatasetResults: {
    processingId: ({ processing_id }: DatasetResults) => processing_id,
    sourceId: ({ source_id }: DatasetResults) => source_id,
    series: ({ assets, datasetId }: DatasetResults & { datasetId: string }) =>
      assets && { nodes: assets.map((asset) => ({ ...asset, datasetId })), totalCount: assets.length },
    statistics: ({ assets }: DatasetResults) => assets && toStatistics(allRows(assets)),
    byDate: ({ assets }: DatasetResults) => assets && toAggregatesByDate(allRows(assets)),
  },
  AssetSeries: {
    asset: (asset: Asset) => asset,
    version: ({ asset_version }: Asset) => asset_version,
    rows: ({ results }: Asset) => results,
    rowCount: ({ results }: Asset) => results?.length,
    columns: ({ results }: Asset) => results && toColumns(results),
    statistics: ({ results }: Asset) => results && toStatistics(results),
    periods: ({ results }: Asset) => results && toMonths(results),
  },
  Asset: {
    __resolveReference: ({ datasetId, assetId }: { datasetId: string; assetId: string }, context: ContextValue) =>
      getAsset(datasetId, assetId, context),
    assetId: ({ asset_id }: Asset) => asset_id,
    name: ({ asset_name }: Asset) => asset_name,
    version: ({ asset_version }: Asset) => asset_version,
    categories: ({ asset_categories }: Asset) => asset_categories,
    centroid: ({ asset_centroid_latitude: latitude, asset_centroid_longitude: longitude }: Asset) =>
      latitude === undefined || longitude === undefined ? null : { latitude, longitude },
    surfaceAreaM2: ({ asset_surface_area_m2 }: Asset) => asset_surface_area_m2,
    parent: ({ parent_asset_id, parent_asset_name, parent_asset_version }: Asset) =>
      (parent_asset_id ?? parent_asset_name ?? parent_asset_version) === undefined
        ? null
        : { assetId: parent_asset_id, name: parent_asset_name, version: parent_asset_version },
    series: (asset: Asset) => asset,
  },
  Result: {
    valueDate: ({ value_date }: Result) => value_date,
  },
};
