import { DATASET_ID, getSummary } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

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
  resolvers: {
    Query: { search: () => [{ datasetName: 'Soil moisture', dataset: { id: DATASET_ID } }] },
  },
};

/** What `@provides` would look like. Apollo refuses it, because our fields are not `@shareable`. */
export const provided = {
  name: 'provided',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@provides"])

type Query {
  found(text: String!): [Dataset!]! @provides(fields: "name")
}

type Dataset @key(fields: "id") {
  id: ID!
  name: String @external
}
`,
};

export const provides: Topic = {
  neighbours: [search],
  cases: [
    {
      title: 'has a copy of the name as a field of its own, in place of `@provides`',
      document: '{ search(text: "soil") { datasetName dataset { id } } }',
      outcomes: {
        right: {
          body: { data: { search: [{ datasetName: 'Soil moisture', dataset: { id: DATASET_ID } }] } },
          calls: [],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects our name',
      document: '{ search(text: "soil") { dataset { name } } }',
      outcomes: {
        right: { body: { data: { search: [{ dataset: { name: 'Soil moisture' } }] } }, calls: [getSummary()] },
      },
      behind: everywhere('right'),
    },
  ],
};
