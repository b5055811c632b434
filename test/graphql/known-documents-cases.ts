import type { InterceptHandler } from '../../simulator/src/simulator.ts';
import {
  assetResult,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  times,
} from '../support/harness.ts';

const everything = ofDataset(`id name sharing startDate processing { id name } results { processingId series(first: 2) {
  totalCount pageInfo { endCursor } edges { cursor node { version asset { assetId name centroid { latitude } } columns { rowCount }
  rows { valueDate metrics { name value } } } } } }`);

/** A request whose document may be new or known. */
export interface Case {
  title: string;
  body: unknown;
  headers?: Record<string, string>;
  /** What the REST service answers with, where it is not what it has. */
  bodies?: { metadata?: unknown; results?: unknown };
  intercept?: InterceptHandler;
  /** Settings of the subgraph. */
  env?: Record<string, string>;
  expected: { status: number; calls: string[]; text: RegExp };
}

/** Asked for with null in place of a condition. */
export const withNull = (selection: string) => ({
  query: `query ($no: Boolean = true) { dataset(id: "${DATASET_ID}") { ${selection} } }`,
  variables: { no: null },
});

const summary = [getSummary()];
const both = [getSummary(), postResults({})];

export const cases: Case[] = [
  {
    title: 'metadata and results',
    body: { query: everything },
    expected: { status: 200, calls: both, text: /^\{"data":\{"dataset":\{"id":.*"name":"moisture"/ },
  },
  {
    title: 'an operation by its name, with variables and empty extensions',
    body: {
      query: 'query A { dataset(id: "x") { name } } query B($id: ID!) { dataset(id: $id) { name } }',
      operationName: 'B',
      variables: { id: DATASET_ID },
      extensions: {},
    },
    expected: { status: 200, calls: summary, text: /^\{"data":\{"dataset":\{"name":"Soil moisture"\}\}\}\n$/ },
  },
  {
    title: 'nulls for what may be absent',
    body: { query: ofDataset('name'), operationName: null, variables: null, extensions: null },
    expected: { status: 200, calls: summary, text: /Soil moisture/ },
  },
  {
    title: 'a selection without results, with an unusual but valid Accept',
    body: { query: ofDataset('name') },
    headers: { accept: 'application/graphql-response+json, application/json;q=0.5' },
    expected: { status: 200, calls: summary, text: /Soil moisture/ },
  },
  {
    title: 'entities',
    body: { query: ofEntities('... on Dataset { name }'), variables: { references: [datasetReference()] } },
    expected: { status: 200, calls: summary, text: /"_entities":\[\{"name":"Soil moisture"\}\]/ },
  },
  {
    title: 'a caller without a token',
    body: { query: ofDataset('name') },
    headers: { authorization: '' },
    expected: { status: 200, calls: [], text: /^\{"errors":\[\{.*"code":"UNAUTHENTICATED".*"requestId":"asked-again"/ },
  },
  {
    title: 'an incomplete answer',
    body: { query: ofDataset('results { series { totalCount } }') },
    bodies: { results: { assets: [assetResult('a'), { asset_id: 7 }] } },
    expected: { status: 200, calls: [postResults({})], text: /"totalCount":1.*UPSTREAM_INVALID_RESPONSE/s },
  },
  {
    title: 'an error within rows',
    body: { query: ofDataset('results { series { nodes { rows { metrics { value } } } } }') },
    bodies: {
      results: { assets: [{ asset_id: 'a', results: [{ value_date: 'd', metrics: [{ value: 'no number' }] }] }] },
    },
    expected: {
      status: 200,
      calls: [postResults({})],
      text: /"value":null.*"errors":\[.*"path":\["dataset","results","series","nodes",0,"rows",0,"metrics",0,"value"\]/,
    },
  },
  {
    title: 'more errors than are sent',
    body: {
      query: ofEntities('... on Dataset { name }'),
      variables: { references: Array.from({ length: 1200 }, () => datasetReference('')) },
    },
    expected: { status: 200, calls: [], text: /at most 65536 characters of errors; \d+ more are omitted/ },
  },
  {
    title: 'a variable that cannot be coerced',
    body: { query: 'query ($id: ID!) { dataset(id: $id) { name } }', variables: { id: {} } },
    expected: { status: 200, calls: [], text: /"code":"BAD_USER_INPUT"/ },
  },
  {
    title: 'the same where the rules of its media type are wanted',
    body: { query: 'query ($id: ID!) { dataset(id: $id) { name } }' },
    headers: { accept: 'application/graphql-response+json' },
    expected: { status: 400, calls: [], text: /"code":"BAD_USER_INPUT"/ },
  },
  {
    title: 'an operation that the document does not have',
    body: { query: ofDataset('name'), operationName: 'Other' },
    expected: { status: 400, calls: [], text: /"code":"OPERATION_RESOLUTION_FAILURE"/ },
  },
  {
    title: 'no operation name where there are several',
    body: { query: 'query A { __typename } query B { __typename }' },
    expected: { status: 400, calls: [], text: /"code":"OPERATION_RESOLUTION_FAILURE"/ },
  },
  {
    title: 'a mutation, which this schema does not have',
    body: { query: `mutation { dataset(id: "${DATASET_ID}") { name } }` },
    expected: { status: 200, calls: [], text: /"code":"BAD_USER_INPUT".*"data":null/ },
  },
  {
    title: 'a subscription of a document that also has a query',
    body: { query: 'query A { __typename } subscription B { nothing }', operationName: 'B' },
    expected: { status: 200, calls: [], text: /"code":"BAD_USER_INPUT".*"data":null/ },
  },
  {
    title: 'a condition of a root field that is null',
    body: { query: 'query ($no: Boolean = true) { __typename @skip(if: $no) }', variables: { no: null } },
    expected: { status: 200, calls: [], text: /"code":"BAD_USER_INPUT".*"data":null/ },
  },
  {
    title: 'a condition of a nested field that is null',
    body: withNull('name download { method @include(if: $no) }'),
    expected: { status: 200, calls: summary, text: /"path":\["dataset","download"\].*"download":null\}\}/ },
  },
  {
    title: 'an absent variable with the name of a property of every object',
    body: {
      query: `query ($constructor: Int) { dataset(id: "${DATASET_ID}") { results { series(first: $constructor) { totalCount } } } }`,
    },
    expected: { status: 200, calls: [postResults({})], text: /"totalCount":\d/ },
  },
  {
    title: 'a persisted query',
    body: { query: ofDataset('name'), extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    expected: { status: 200, calls: [], text: /"code":"PERSISTED_QUERY_NOT_SUPPORTED"/ },
  },
  {
    title: 'a batch',
    body: [{ query: ofDataset('name') }],
    expected: { status: 400, calls: [], text: /Operation batching disabled/ },
  },
  {
    title: 'variables as a list',
    body: { query: ofDataset('name'), variables: [] },
    expected: { status: 400, calls: [], text: /`variables` in a POST body must be an object/ },
  },
  {
    title: 'a name that is no text',
    body: { query: ofDataset('name'), operationName: 7 },
    expected: { status: 400, calls: [], text: /`operationName` in a POST body must be a string/ },
  },
  {
    title: 'extensions as a text',
    body: { query: ofDataset('name'), extensions: '{}' },
    expected: { status: 400, calls: [], text: /`extensions` in a POST body/ },
  },
  {
    title: 'a media type that there is not',
    body: { query: ofDataset('name') },
    headers: { accept: 'text/plain' },
    expected: { status: 406, calls: summary, text: /does not accept application\/json/ },
  },
  {
    title: 'a document beyond a limit',
    body: { query: `{ ${times(501, (alias) => `d${alias}: dataset(id: "x") { id }`)} }` },
    expected: { status: 400, calls: [], text: /"code":"REQUEST_LIMIT_EXCEEDED"/ },
  },
];
