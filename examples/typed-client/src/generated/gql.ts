/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query StationList($id: ID!) {\n    dataset(id: $id) {\n      id\n      name\n      results { sourceId series { nodes { asset { datasetId assetId name } resultCount } } }\n      download { method }\n    }\n  }\n": typeof types.StationListDocument,
    "\n  query StationMap($id: ID!) {\n    dataset(id: $id) {\n      id\n      results {\n        processingId\n        series { nodes { asset { datasetId assetId centroid { latitude longitude } } metricNames } }\n      }\n      download { requiredHeaders }\n    }\n  }\n": typeof types.StationMapDocument,
    "\n  query StationPages($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results {\n        series(first: $first, after: $after) {\n          edges { cursor node { asset { datasetId assetId name } } }\n          pageInfo { hasNextPage endCursor }\n        }\n      }\n    }\n  }\n": typeof types.StationPagesDocument,
    "\n  query OnePage($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results { series(first: $first, after: $after) { nodes { asset { datasetId assetId name } } } }\n    }\n  }\n": typeof types.OnePageDocument,
    "\n  query Weather($ids: [ID!]!, $range: TimeRangeInput) {\n    datasets(ids: $ids) {\n      id\n      name\n      startDateTime\n      results(filter: { timeRange: $range }) {\n        series {\n          nodes {\n            asset { datasetId assetId name }\n            version\n            columns(metrics: [\"temp_max\", \"wind\"]) { valueDates metrics { name values } }\n          }\n        }\n      }\n    }\n  }\n": typeof types.WeatherDocument,
};
const documents: Documents = {
    "\n  query StationList($id: ID!) {\n    dataset(id: $id) {\n      id\n      name\n      results { sourceId series { nodes { asset { datasetId assetId name } resultCount } } }\n      download { method }\n    }\n  }\n": types.StationListDocument,
    "\n  query StationMap($id: ID!) {\n    dataset(id: $id) {\n      id\n      results {\n        processingId\n        series { nodes { asset { datasetId assetId centroid { latitude longitude } } metricNames } }\n      }\n      download { requiredHeaders }\n    }\n  }\n": types.StationMapDocument,
    "\n  query StationPages($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results {\n        series(first: $first, after: $after) {\n          edges { cursor node { asset { datasetId assetId name } } }\n          pageInfo { hasNextPage endCursor }\n        }\n      }\n    }\n  }\n": types.StationPagesDocument,
    "\n  query OnePage($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results { series(first: $first, after: $after) { nodes { asset { datasetId assetId name } } } }\n    }\n  }\n": types.OnePageDocument,
    "\n  query Weather($ids: [ID!]!, $range: TimeRangeInput) {\n    datasets(ids: $ids) {\n      id\n      name\n      startDateTime\n      results(filter: { timeRange: $range }) {\n        series {\n          nodes {\n            asset { datasetId assetId name }\n            version\n            columns(metrics: [\"temp_max\", \"wind\"]) { valueDates metrics { name values } }\n          }\n        }\n      }\n    }\n  }\n": types.WeatherDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query StationList($id: ID!) {\n    dataset(id: $id) {\n      id\n      name\n      results { sourceId series { nodes { asset { datasetId assetId name } resultCount } } }\n      download { method }\n    }\n  }\n"): (typeof documents)["\n  query StationList($id: ID!) {\n    dataset(id: $id) {\n      id\n      name\n      results { sourceId series { nodes { asset { datasetId assetId name } resultCount } } }\n      download { method }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query StationMap($id: ID!) {\n    dataset(id: $id) {\n      id\n      results {\n        processingId\n        series { nodes { asset { datasetId assetId centroid { latitude longitude } } metricNames } }\n      }\n      download { requiredHeaders }\n    }\n  }\n"): (typeof documents)["\n  query StationMap($id: ID!) {\n    dataset(id: $id) {\n      id\n      results {\n        processingId\n        series { nodes { asset { datasetId assetId centroid { latitude longitude } } metricNames } }\n      }\n      download { requiredHeaders }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query StationPages($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results {\n        series(first: $first, after: $after) {\n          edges { cursor node { asset { datasetId assetId name } } }\n          pageInfo { hasNextPage endCursor }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query StationPages($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results {\n        series(first: $first, after: $after) {\n          edges { cursor node { asset { datasetId assetId name } } }\n          pageInfo { hasNextPage endCursor }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query OnePage($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results { series(first: $first, after: $after) { nodes { asset { datasetId assetId name } } } }\n    }\n  }\n"): (typeof documents)["\n  query OnePage($id: ID!, $first: Int!, $after: String) {\n    dataset(id: $id) {\n      id\n      results { series(first: $first, after: $after) { nodes { asset { datasetId assetId name } } } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Weather($ids: [ID!]!, $range: TimeRangeInput) {\n    datasets(ids: $ids) {\n      id\n      name\n      startDateTime\n      results(filter: { timeRange: $range }) {\n        series {\n          nodes {\n            asset { datasetId assetId name }\n            version\n            columns(metrics: [\"temp_max\", \"wind\"]) { valueDates metrics { name values } }\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Weather($ids: [ID!]!, $range: TimeRangeInput) {\n    datasets(ids: $ids) {\n      id\n      name\n      startDateTime\n      results(filter: { timeRange: $range }) {\n        series {\n          nodes {\n            asset { datasetId assetId name }\n            version\n            columns(metrics: [\"temp_max\", \"wind\"]) { valueDates metrics { name values } }\n          }\n        }\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;