import { DATASET_ID, getSummary, ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

const reviews: OtherSubgraph = {
  name: 'reviews',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Dataset @key(fields: "id") {
  id: ID!
  reviews: [String!]
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  owner: String
}
`,
  resolvers: {
    Dataset: { reviews: ({ id }: { id: string }) => (id === DATASET_ID ? ['good'] : []) },
    Asset: { owner: ({ assetId }: { assetId: string }) => (assetId === 'a' ? 'Anna' : null) },
  },
};

const inventory: OtherSubgraph = {
  name: 'inventory',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Asset @key(fields: "dataset { id } assetId") {
  dataset: Dataset
  assetId: ID!
  shelf: String
}

type Dataset @key(fields: "id", resolvable: false) {
  id: ID!
}
`,
  resolvers: {
    Asset: { shelf: ({ dataset, assetId }: AssetOfDataset) => `${dataset.id}/${assetId}` },
  },
};

/** Private. What the inventory gets of an asset. */
interface AssetOfDataset {
  readonly dataset: { readonly id: string };
  readonly assetId: string;
}

/** Private. What becomes of a field on each asset of the results. */
function onEachAsset(field: string, value: (assetId: string) => string) {
  const nodes = ['a', 'b', 'c'].map((id) => ({ asset: { name: `Field ${id}`, [field]: value(id) } }));
  return {
    document: ofDataset(`results { series { nodes { asset { name ${field} } } } }`),
    outcomes: { right: { body: { data: { dataset: { results: { series: { nodes } } } } }, calls: [postResults({})] } },
    behind: everywhere('right'),
  };
}

export const extensions: Topic = {
  neighbours: [reviews, inventory],
  cases: [
    {
      title: 'adds a field to `Dataset`; the client selects it beside metadata',
      document: ofDataset('name reviews'),
      outcomes: {
        right: { body: { data: { dataset: { name: 'Soil moisture', reviews: ['good'] } } }, calls: [getSummary()] },
      },
      behind: everywhere('right'),
    },
    {
      title: 'adds a field to `Dataset`; the client selects nothing else',
      document: ofDataset('reviews'),
      outcomes: { right: { body: { data: { dataset: { reviews: ['good'] } } }, calls: [] } },
      behind: everywhere('right'),
    },
    {
      title: 'adds a field to `Dataset`; no dataset has the id',
      document: '{ dataset(id: "nowhere") { reviews } }',
      outcomes: {
        'the neighbour is asked': { body: { data: { dataset: { reviews: [] } } }, calls: [] },
      },
      behind: everywhere('the neighbour is asked'),
    },
    {
      title: 'adds a field to `Dataset`; the client gives another field the alias `id`',
      document: ofDataset('id: name reviews'),
      outcomes: {
        right: { body: { data: { dataset: { id: 'Soil moisture', reviews: ['good'] } } }, calls: [getSummary()] },
        'wrong: the client gets the id': {
          body: { data: { dataset: { id: DATASET_ID, reviews: ['good'] } } },
          calls: [],
        },
        'wrong: the neighbour gets the name': {
          body: { data: { dataset: { id: 'Soil moisture', reviews: [] } } },
          calls: [getSummary()],
        },
        'an error: `GRAPHQL_VALIDATION_FAILED`': {
          body: {
            data: { dataset: null },
            errors: [
              {
                message:
                  'Fields "id" conflict because "name" and "id" are different fields. Use different aliases on the fields to fetch both if this was intentional.',
                path: ['dataset'],
                extensions: { code: 'GRAPHQL_VALIDATION_FAILED', serviceName: 'dataset' },
              },
            ],
          },
          calls: [],
        },
      },
      behind: {
        'Apollo Gateway': 'wrong: the client gets the id',
        'Hive Gateway': 'an error: `GRAPHQL_VALIDATION_FAILED`',
        'Hive Gateway, Rust planner': 'wrong: the neighbour gets the name',
        Grafbase: 'right',
      },
    },
    {
      title: 'the workaround: another alias',
      document: ofDataset('title: name reviews'),
      outcomes: {
        right: { body: { data: { dataset: { title: 'Soil moisture', reviews: ['good'] } } }, calls: [getSummary()] },
      },
      behind: everywhere('right'),
    },
    {
      title: 'adds a field to `Asset`; the client selects it on each asset of the results',
      document: ofDataset('results { series { nodes { asset { name owner } } } }'),
      outcomes: {
        right: {
          body: {
            data: {
              dataset: {
                results: {
                  series: {
                    nodes: ['a', 'b', 'c'].map((id) => ({
                      asset: { name: `Field ${id}`, owner: id === 'a' ? 'Anna' : null },
                    })),
                  },
                },
              },
            },
          },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same with the key `dataset { id } assetId`',
      ...onEachAsset('shelf', (id) => `${DATASET_ID}/${id}`),
    },
  ],
};
