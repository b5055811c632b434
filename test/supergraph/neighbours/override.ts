import { getSummary, ofDataset } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

const legal: OtherSubgraph = {
  name: 'legal',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@override"])

type Dataset @key(fields: "id") {
  id: ID!
  attributionText: String @override(from: "dataset")
}
`,
  resolvers: { Dataset: { attributionText: () => 'Approved by the legal department' } },
};

export const override: Topic = {
  neighbours: [legal],
  cases: [
    {
      title: 'takes over a field of ours with `@override`',
      document: ofDataset('attributionText'),
      outcomes: {
        right: { body: { data: { dataset: { attributionText: 'Approved by the legal department' } } }, calls: [] },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects metadata of ours too',
      document: ofDataset('name attributionText'),
      outcomes: {
        right: {
          body: {
            data: { dataset: { name: 'Soil moisture', attributionText: 'Approved by the legal department' } },
          },
          calls: [getSummary()],
        },
      },
      behind: everywhere('right'),
    },
  ],
};
