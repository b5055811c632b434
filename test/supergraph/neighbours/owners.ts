import { getSummary, ofDataset } from '../../support/harness.ts';
import { SPARSE_ID } from '../data.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

const pipelines: OtherSubgraph = {
  name: 'pipelines',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type DatasetProcessing @key(fields: "id") {
  id: ID
  algorithm: String
}

type DatasetSource @key(fields: "id") {
  id: ID
  satellite: String
}
`,
  resolvers: {
    DatasetProcessing: { algorithm: ({ id }: { id: string }) => `algorithm of ${id}` },
    DatasetSource: { satellite: ({ id }: { id: string }) => `satellite of ${id}` },
  },
};

/** The owner with a query of its own: nobody could resolve the name of what it returns. */
export const processingQuery = {
  name: 'pipelines',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Query {
  processings: [DatasetProcessing!]!
}

type DatasetProcessing @key(fields: "id") {
  id: ID
  algorithm: String
}
`,
};

/** The owner with that query, which takes over the name. */
const registry: OtherSubgraph = {
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
`,
  resolvers: {
    Query: { processings: () => [{ id: 'p-1' }] },
    DatasetProcessing: {
      name: ({ id }: { id: string }) => `name of ${id}`,
      algorithm: ({ id }: { id: string }) => `algorithm of ${id}`,
    },
  },
};

/** Apart from the others, which add fields to processings that have our name. */
export const processingOwner: Topic = {
  isApart: true,
  neighbours: [registry],
  cases: [
    {
      title: 'takes over `name` of `DatasetProcessing`, and has a `Query` field that returns it',
      document: '{ processings { id name algorithm } }',
      outcomes: {
        right: {
          body: { data: { processings: [{ id: 'p-1', name: 'name of p-1', algorithm: 'algorithm of p-1' }] } },
          calls: [],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects the processing of a dataset',
      document: ofDataset('processing { id name }'),
      outcomes: {
        right: {
          body: { data: { dataset: { processing: { id: 'p-1', name: 'name of p-1' } } } },
          calls: [getSummary()],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same where the service sent a name without an id',
      document: `{ dataset(id: "${SPARSE_ID}") { processing { name } } }`,
      outcomes: {
        'null, the name is lost': {
          body: { data: { dataset: { processing: { name: null } } } },
          calls: [getSummary(SPARSE_ID)],
        },
        'the neighbour gets the id null': {
          body: { data: { dataset: { processing: { name: 'name of null' } } } },
          calls: [getSummary(SPARSE_ID)],
        },
      },
      behind: {
        'Apollo Gateway': 'the neighbour gets the id null',
        'Hive Gateway': 'null, the name is lost',
        'Hive Gateway, Rust planner': 'null, the name is lost',
        Grafbase: 'the neighbour gets the id null',
      },
    },
  ],
};

export const owners: Topic = {
  neighbours: [pipelines],
  cases: [
    {
      title: 'adds fields to `DatasetProcessing` and `DatasetSource`',
      document: ofDataset('processing { name algorithm } source { satellite }'),
      outcomes: {
        right: {
          body: {
            data: {
              dataset: {
                processing: { name: 'Moisture model', algorithm: 'algorithm of p-1' },
                source: { satellite: 'satellite of s-1' },
              },
            },
          },
          calls: [getSummary()],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same where the service sent a name without an id',
      document: `{ dataset(id: "${SPARSE_ID}") { processing { name algorithm } } }`,
      outcomes: {
        null: {
          body: { data: { dataset: { processing: { name: 'Moisture model', algorithm: null } } } },
          calls: [getSummary(SPARSE_ID)],
        },
        'the neighbour gets the id null': {
          body: { data: { dataset: { processing: { name: 'Moisture model', algorithm: 'algorithm of null' } } } },
          calls: [getSummary(SPARSE_ID)],
        },
      },
      behind: {
        'Apollo Gateway': 'the neighbour gets the id null',
        'Hive Gateway': 'null',
        'Hive Gateway, Rust planner': 'null',
        Grafbase: 'the neighbour gets the id null',
      },
    },
  ],
};
