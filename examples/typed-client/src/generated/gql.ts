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
    "query AssetEdges($id: ID!, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results {\n      series(first: $first, after: $after) {\n        edges {\n          cursor\n          node {\n            asset {\n              id\n              assetId\n              name\n            }\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}": typeof types.AssetEdgesDocument,
    "query AssetList($id: ID!) {\n  dataset(id: $id) {\n    id\n    name\n    results {\n      sourceId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n          rowCount\n        }\n      }\n    }\n    download {\n      method\n    }\n  }\n}": typeof types.AssetListDocument,
    "query AssetMap($id: ID!) {\n  dataset(id: $id) {\n    id\n    results {\n      processingId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          metricNames\n        }\n      }\n    }\n    download {\n      requiredHeaders\n    }\n  }\n}": typeof types.AssetMapDocument,
    "query AssetPage($id: ID!, $timeRange: TimeRangeInput, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results(filter: {timeRange: $timeRange}) {\n      series(first: $first, after: $after) {\n        totalCount\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}": typeof types.AssetPageDocument,
    "query SeveralDatasets($ids: [ID!]!, $metricNames: [String!], $range: TimeRangeInput) {\n  datasetsByIds(ids: $ids) {\n    id\n    name\n    startDateTime\n    results(filter: {timeRange: $range}) {\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          version\n          columns(metrics: $metricNames) {\n            valueDates\n            metrics {\n              name\n              values\n            }\n          }\n        }\n      }\n    }\n  }\n}": typeof types.SeveralDatasetsDocument,
};
const documents: Documents = {
    "query AssetEdges($id: ID!, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results {\n      series(first: $first, after: $after) {\n        edges {\n          cursor\n          node {\n            asset {\n              id\n              assetId\n              name\n            }\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}": types.AssetEdgesDocument,
    "query AssetList($id: ID!) {\n  dataset(id: $id) {\n    id\n    name\n    results {\n      sourceId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n          rowCount\n        }\n      }\n    }\n    download {\n      method\n    }\n  }\n}": types.AssetListDocument,
    "query AssetMap($id: ID!) {\n  dataset(id: $id) {\n    id\n    results {\n      processingId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          metricNames\n        }\n      }\n    }\n    download {\n      requiredHeaders\n    }\n  }\n}": types.AssetMapDocument,
    "query AssetPage($id: ID!, $timeRange: TimeRangeInput, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results(filter: {timeRange: $timeRange}) {\n      series(first: $first, after: $after) {\n        totalCount\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}": types.AssetPageDocument,
    "query SeveralDatasets($ids: [ID!]!, $metricNames: [String!], $range: TimeRangeInput) {\n  datasetsByIds(ids: $ids) {\n    id\n    name\n    startDateTime\n    results(filter: {timeRange: $range}) {\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          version\n          columns(metrics: $metricNames) {\n            valueDates\n            metrics {\n              name\n              values\n            }\n          }\n        }\n      }\n    }\n  }\n}": types.SeveralDatasetsDocument,
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
export function graphql(source: "query AssetEdges($id: ID!, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results {\n      series(first: $first, after: $after) {\n        edges {\n          cursor\n          node {\n            asset {\n              id\n              assetId\n              name\n            }\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}"): (typeof documents)["query AssetEdges($id: ID!, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results {\n      series(first: $first, after: $after) {\n        edges {\n          cursor\n          node {\n            asset {\n              id\n              assetId\n              name\n            }\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query AssetList($id: ID!) {\n  dataset(id: $id) {\n    id\n    name\n    results {\n      sourceId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n          rowCount\n        }\n      }\n    }\n    download {\n      method\n    }\n  }\n}"): (typeof documents)["query AssetList($id: ID!) {\n  dataset(id: $id) {\n    id\n    name\n    results {\n      sourceId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n          rowCount\n        }\n      }\n    }\n    download {\n      method\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query AssetMap($id: ID!) {\n  dataset(id: $id) {\n    id\n    results {\n      processingId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          metricNames\n        }\n      }\n    }\n    download {\n      requiredHeaders\n    }\n  }\n}"): (typeof documents)["query AssetMap($id: ID!) {\n  dataset(id: $id) {\n    id\n    results {\n      processingId\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          metricNames\n        }\n      }\n    }\n    download {\n      requiredHeaders\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query AssetPage($id: ID!, $timeRange: TimeRangeInput, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results(filter: {timeRange: $timeRange}) {\n      series(first: $first, after: $after) {\n        totalCount\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}"): (typeof documents)["query AssetPage($id: ID!, $timeRange: TimeRangeInput, $first: Int!, $after: String) {\n  dataset(id: $id) {\n    id\n    results(filter: {timeRange: $timeRange}) {\n      series(first: $first, after: $after) {\n        totalCount\n        nodes {\n          asset {\n            id\n            assetId\n            name\n          }\n        }\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n      }\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query SeveralDatasets($ids: [ID!]!, $metricNames: [String!], $range: TimeRangeInput) {\n  datasetsByIds(ids: $ids) {\n    id\n    name\n    startDateTime\n    results(filter: {timeRange: $range}) {\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          version\n          columns(metrics: $metricNames) {\n            valueDates\n            metrics {\n              name\n              values\n            }\n          }\n        }\n      }\n    }\n  }\n}"): (typeof documents)["query SeveralDatasets($ids: [ID!]!, $metricNames: [String!], $range: TimeRangeInput) {\n  datasetsByIds(ids: $ids) {\n    id\n    name\n    startDateTime\n    results(filter: {timeRange: $range}) {\n      series {\n        nodes {\n          asset {\n            id\n            assetId\n            name\n            centroid {\n              latitude\n              longitude\n            }\n          }\n          version\n          columns(metrics: $metricNames) {\n            valueDates\n            metrics {\n              name\n              values\n            }\n          }\n        }\n      }\n    }\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;