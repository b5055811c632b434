import { DATASET_ID, getSummary, ofDataset } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { ok, okOf, type Topic } from './neighbour.ts';

const portal: OtherSubgraph = {
  name: 'portal',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

type Query {
  items: [Item!]!
}

interface Item @key(fields: "id") {
  id: ID!
}

type Dataset implements Item @key(fields: "id") {
  id: ID!
}

type Report implements Item @key(fields: "id") {
  id: ID!
  title: String!
}
`,
  resolvers: {
    Query: { items: () => [{ id: DATASET_ID }, { id: 'report-1', title: 'Drought' }] },
    Item: {
      __resolveType: ({ id }: { id: string }) => (id.startsWith('report') ? 'Report' : 'Dataset'),
      __resolveReference: ({ id }: { id: string }) => ({ id, title: 'Drought' }),
    },
    Report: { __resolveReference: ({ id }: { id: string }) => ({ id, title: 'Drought' }) },
  },
};

const tags: OtherSubgraph = {
  name: 'tags',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@interfaceObject"])

type Item @key(fields: "id") @interfaceObject {
  id: ID!
  tags: [String!]
}
`,
  resolvers: { Item: { tags: ({ id }: { id: string }) => [`tag of ${id}`] } },
};

/** What `@interfaceObject` on a type of ours would look like. It is for interfaces. */
export const interfaceObject = {
  name: 'labels',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@interfaceObject"])

type Dataset @key(fields: "id") @interfaceObject {
  id: ID!
  labels: [String!]!
}
`,
};

const tag = [`tag of ${DATASET_ID}`];
const itemsWith = (tags: string[] | null) => ({
  items: [
    { id: DATASET_ID, tags, name: 'Soil moisture' },
    { id: 'report-1', tags: ['tag of report-1'], title: 'Drought' },
  ],
});

export const interfaces: Topic = {
  neighbours: [portal, tags],
  cases: [
    {
      title: 'gives `Dataset` an interface, and another one adds a field by `@interfaceObject`',
      document: ofDataset('name tags'),
      right: okOf({ name: 'Soil moisture', tags: tag }, getSummary()),
      except: {
        'Hive Gateway': okOf({ name: 'Soil moisture', tags: null }, getSummary()),
        Grafbase: {
          body: {
            errors: [
              { message: 'Could not plan field: Dataset.tags', extensions: { code: 'OPERATION_PLANNING_ERROR' } },
            ],
          },
          calls: [],
        },
      },
    },
    {
      title: 'the same; the client starts at the interface',
      document: '{ items { id tags ... on Dataset { name } ... on Report { title } } }',
      right: ok(itemsWith(tag), getSummary()),
      except: { 'Hive Gateway': ok(itemsWith(null), getSummary()) },
    },
  ],
};
