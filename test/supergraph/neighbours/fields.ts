import { DATASET_ID, getSummary, ofDataset, postResults } from '../../support/harness.ts';
import { SPARSE_ID } from '../data.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { ok, okOf, refusedFetch, type Topic } from './neighbour.ts';

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
    Asset: {
      shelf: ({ dataset, assetId }: { dataset: { id: string }; assetId: string }) => `${dataset.id}/${assetId}`,
    },
  },
};

/** Takes over a field. It has the same value: no REST call shows that it is not ours. */
const legal: OtherSubgraph = {
  name: 'legal',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@override"])

type Dataset @key(fields: "id") {
  id: ID!
  attributionText: String @override(from: "dataset")
}
`,
  resolvers: { Dataset: { attributionText: () => 'Example agency' } },
};

/** Owns processings and sources. It takes over the name of processings, because nobody else could resolve that of its query. */
export const registry: OtherSubgraph = {
  name: 'registry',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@override"])

type Query {
  processings: [DatasetProcessing!]!
}

type DatasetProcessing @key(fields: "id") {
  id: ID
  name: String @override(from: "dataset")
  algorithm: String
}

type DatasetSource @key(fields: "id") {
  id: ID
  satellite: String
}
`,
  resolvers: {
    Query: { processings: () => [{ id: 'p-1' }] },
    DatasetProcessing: {
      name: ({ id }: { id: string }) => (id === 'p-1' ? 'Moisture model' : `name of ${id}`),
      algorithm: ({ id }: { id: string }) => `algorithm of ${id}`,
    },
    DatasetSource: { satellite: ({ id }: { id: string }) => `satellite of ${id}` },
  },
};

const sparse = `{ dataset(id: "${SPARSE_ID}") { processing { name algorithm } } }`;
const processing = { name: 'Moisture model', algorithm: 'algorithm of p-1' };
const idNull = okOf({ processing: { name: 'name of null', algorithm: 'algorithm of null' } }, getSummary(SPARSE_ID));
const assets = ['a', 'b', 'c'].map((id) => ({
  asset: { name: `Field ${id}`, owner: id === 'a' ? 'Anna' : null, shelf: `${DATASET_ID}/${id}` },
}));

export const fields: Topic = {
  neighbours: [reviews, inventory, legal, registry],
  cases: [
    {
      title: 'adds a field to `Dataset`; the client selects it beside metadata',
      document: ofDataset('name reviews'),
      right: okOf({ name: 'Soil moisture', reviews: ['good'] }, getSummary()),
    },
    {
      title: 'adds a field to `Dataset`; the client selects nothing else, and no dataset has the id',
      document: '{ dataset(id: "nowhere") { reviews } }',
      right: okOf({ reviews: [] }),
    },
    {
      title: 'adds a field to `Dataset`; the client gives another field the alias `id`',
      document: ofDataset('id: name reviews'),
      right: okOf({ id: 'Soil moisture', reviews: ['good'] }, getSummary()),
      except: {
        // The client gets the id.
        'Apollo Gateway': okOf({ id: DATASET_ID, reviews: ['good'] }),
        'Hive Gateway': refusedFetch(
          'Fields "id" conflict because "name" and "id" are different fields. Use different aliases on the fields to fetch both if this was intentional.',
        ),
        // The neighbour gets the name.
        'Hive Gateway, Rust planner': okOf({ id: 'Soil moisture', reviews: [] }, getSummary()),
      },
    },
    {
      title:
        'adds fields to `Asset`, also by the key `dataset { id } assetId`; the client selects all assets of the results',
      document: ofDataset('results { series { nodes { asset { name owner shelf } } } }'),
      right: okOf({ results: { series: { nodes: assets } } }, postResults({})),
    },
    {
      title: 'takes over a field of ours with `@override`',
      document: ofDataset('attributionText'),
      right: okOf({ attributionText: 'Example agency' }),
    },
    {
      title: 'takes over `name` of `DatasetProcessing`, and has a `Query` field that returns it',
      document: '{ processings { id name algorithm } }',
      right: ok({ processings: [{ id: 'p-1', ...processing }] }),
    },
    {
      title: 'adds fields to `DatasetProcessing` and `DatasetSource`',
      document: ofDataset('processing { name algorithm } source { name satellite }'),
      right: okOf({ processing, source: { name: 'Radar', satellite: 'satellite of s-1' } }, getSummary()),
    },
    {
      title: 'the same where the service sent a name without an id',
      document: sparse,
      right: okOf({ processing: { name: null, algorithm: null } }, getSummary(SPARSE_ID)),
      except: { 'Apollo Gateway': idNull, Grafbase: idNull },
    },
  ],
};
