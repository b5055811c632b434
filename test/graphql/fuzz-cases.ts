import { assetReference, DATASET_ID, times } from '../support/harness.ts';

/** A request that once kept the subgraph busy for minutes, or was answered with an error that said nothing. It stays. */
export interface FuzzCase {
  readonly title: string;
  readonly document: string;
  readonly variables?: Record<string, unknown>;
}

export const fuzzCases: readonly FuzzCase[] = [
  {
    title: 'many filters of many asset ids, each with a time range of its own',
    document: `query ($ids: [ID!]) { dataset(id: "${DATASET_ID}") { ${times(400, (index) => `a${index}: results(filter: { assetIds: $ids, timeRange: { start: ${index} } }) { sourceId }`)} } }`,
    variables: { ids: Array.from({ length: 10_000 }, (_, index) => `a${index}`) },
  },
  {
    title: 'many references to assets, each with many time ranges',
    document: `query ($references: [_Any!]!) { _entities(representations: $references) { ... on Asset { name ${times(100, (index) => `s${index}: series(filter: { timeRange: { start: ${index} } }) { version }`)} } } }`,
    variables: { references: Array.from({ length: 1000 }, (_, index) => assetReference(`a${index}`)) },
  },
  {
    title: 'many references, each with many aliases',
    document: `query ($references: [_Any!]!) { _entities(representations: $references) { ... on Asset { ${times(400, (index) => `a${index}: assetId`)} } } }`,
    variables: { references: Array.from({ length: 5000 }, () => assetReference('a')) },
  },
  {
    title: 'lists deeper than the parser can follow',
    document: `{ dataset(id: ${'['.repeat(4900)}1${']'.repeat(4900)}) { id } }`,
  },
  {
    title: 'fragments that double at every level',
    document: `{ ...F0 } ${times(25, (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ... { ...F${index + 1} } }`)} fragment F25 on Query { b: __typename }`,
  },
];
