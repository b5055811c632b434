import { DATASET_ID, getSummary, postResults } from '../../support/harness.ts';
import { WIDE_ID } from '../data.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

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
  resolvers: {
    Query: {
      bookmarks: () => [
        { label: 'one', dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
        { label: 'two', dataset: { id: WIDE_ID }, asset: { datasetId: DATASET_ID, assetId: 'b' } },
        { label: 'three', dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
      ],
    },
  },
};

export const references: Topic = {
  neighbours: [bookmarks],
  cases: [
    {
      title: 'refers to datasets; the client selects metadata',
      document: '{ bookmarks { label dataset { name assetCount } } }',
      outcomes: {
        right: {
          body: {
            data: {
              bookmarks: ['one', 'two', 'three'].map((label) => ({
                label,
                dataset: { name: 'Soil moisture', assetCount: 3 },
              })),
            },
          },
          calls: [getSummary(), getSummary(WIDE_ID)],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'refers to assets; the client selects attributes',
      document: '{ bookmarks { asset { name surfaceAreaM2 } } }',
      outcomes: {
        right: {
          body: {
            data: {
              bookmarks: ['a', 'b', 'a'].map((id) => ({ asset: { name: `Field ${id}`, surfaceAreaM2: 1200.5 } })),
            },
          },
          calls: [postResults({ mo_ids: ['a', 'b'] })],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'refers to assets; the client selects metadata of their datasets',
      document: '{ bookmarks { asset { assetId dataset { name } } } }',
      outcomes: {
        right: {
          body: {
            data: {
              bookmarks: ['a', 'b', 'a'].map((assetId) => ({ asset: { assetId, dataset: { name: 'Soil moisture' } } })),
            },
          },
          calls: [getSummary()],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'refers to both; the client selects only the keys',
      document: '{ bookmarks { dataset { id } asset { datasetId assetId } } }',
      outcomes: {
        right: {
          body: {
            data: {
              bookmarks: [
                { dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
                { dataset: { id: WIDE_ID }, asset: { datasetId: DATASET_ID, assetId: 'b' } },
                { dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
              ],
            },
          },
          calls: [],
        },
      },
      behind: everywhere('right'),
    },
  ],
};
