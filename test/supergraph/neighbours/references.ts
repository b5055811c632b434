import { DATASET_ID, getSummary, postResults } from '../../support/harness.ts';
import { WIDE_ID } from '../data.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { ok, type Topic } from './neighbour.ts';

const marked = [
  { label: 'one', dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
  { label: 'two', dataset: { id: WIDE_ID }, asset: { datasetId: DATASET_ID, assetId: 'b' } },
  { label: 'three', dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
];

const bookmarks: OtherSubgraph = {
  name: 'bookmarks',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Query {
  bookmarks: [Bookmark!]!
}

type Bookmark {
  label: String!
  dataset: Dataset
  asset: Asset
}

type Dataset @key(fields: "id", resolvable: false) {
  id: ID!
}

type Asset @key(fields: "datasetId assetId", resolvable: false) {
  datasetId: ID!
  assetId: ID!
}
`,
  resolvers: { Query: { bookmarks: () => marked } },
};

/** In place of `@provides`, it has a copy of our name. */
const search: OtherSubgraph = {
  name: 'search',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Query {
  search(text: String!): [Hit!]!
}

type Hit {
  datasetName: String
  dataset: Dataset!
}

type Dataset @key(fields: "id", resolvable: false) {
  id: ID!
}
`,
  resolvers: { Query: { search: () => [{ datasetName: 'Moisture', dataset: { id: DATASET_ID } }] } },
};

export const references: Topic = {
  neighbours: [bookmarks, search],
  cases: [
    {
      title: 'refers to datasets; the client selects metadata',
      document: '{ bookmarks { label dataset { name } } }',
      right: ok(
        { bookmarks: marked.map(({ label }) => ({ label, dataset: { name: 'Soil moisture' } })) },
        ...[getSummary(), getSummary(WIDE_ID)],
      ),
    },
    {
      title: 'refers to assets; the client selects attributes',
      document: '{ bookmarks { asset { name surfaceAreaM2 } } }',
      right: ok(
        { bookmarks: ['a', 'b', 'a'].map((id) => ({ asset: { name: `Field ${id}`, surfaceAreaM2: 1200.5 } })) },
        postResults({ mo_ids: ['a', 'b'] }),
      ),
    },
    {
      title: 'refers to both; the client selects only the keys',
      document: '{ bookmarks { label dataset { id } asset { datasetId assetId } } }',
      right: ok({ bookmarks: marked }),
    },
    {
      title: 'has a copy of the name; the client selects our name, too',
      document: '{ search(text: "soil") { datasetName dataset { name } } }',
      right: ok({ search: [{ datasetName: 'Moisture', dataset: { name: 'Soil moisture' } }] }, getSummary()),
    },
  ],
};
