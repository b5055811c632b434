import { graphql } from './generated/index.ts';

/** The dataset of these queries. */
export const id = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';

/** A list of stations. */
export const stationList = graphql(`
  query StationList($id: ID!) {
    dataset(id: $id) {
      id
      name
      results { sourceId series { nodes { asset { datasetId assetId name } resultCount } } }
      download { method }
    }
  }
`);

/** A map of the same stations, in another part of the page: other fields of the same objects. */
export const stationMap = graphql(`
  query StationMap($id: ID!) {
    dataset(id: $id) {
      id
      results {
        processingId
        series { nodes { asset { datasetId assetId centroid { latitude longitude } } metricNames } }
      }
      download { requiredHeaders }
    }
  }
`);

/** A list of stations that grows page by page. Only edges have cursors, by which a cache joins pages. */
export const stationPages = graphql(`
  query StationPages($id: ID!, $first: Int!, $after: String) {
    dataset(id: $id) {
      id
      results {
        series(first: $first, after: $after) {
          edges { cursor node { asset { datasetId assetId name } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
`);

/** One page, without the others. */
export const onePage = graphql(`
  query OnePage($id: ID!, $first: Int!, $after: String) {
    dataset(id: $id) {
      id
      results { series(first: $first, after: $after) { nodes { asset { datasetId assetId name } } } }
    }
  }
`);
