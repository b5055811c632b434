import { ofDataset } from '../../support/harness.ts';
import { type OtherData, type OtherSubgraph, othersWith } from '../subgraphs/others.ts';
import { fields } from './fields.ts';
import { okOf, type Topic } from './neighbour.ts';
import { references } from './references.ts';
import { requiredArguments } from './required-arguments.ts';
import { requires } from './requires.ts';

/** Guards fields that it adds. Not every gateway starts with it, and none has been told how to authenticate clients. */
export const finance: OtherSubgraph = {
  name: 'finance',
  sdl: `
extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated", "@requiresScopes"])

type Dataset @key(fields: "id") {
  id: ID!
  budget: Int @authenticated
  price: Int @requiresScopes(scopes: [["finance"]])
}
`,
  resolvers: { Dataset: { budget: () => 100, price: () => 7 } },
};

const guarded: Topic = {
  neighbours: [finance],
  cases: [
    {
      title: 'guards fields with `@authenticated` and `@requiresScopes`, which are served to everyone',
      document: ofDataset('budget price'),
      right: okOf({ budget: 100, price: 7 }),
    },
  ],
};

/** What docs/federation.md advises. */
const advised = [references, fields, requires];
const ofTopics = (topics: readonly Topic[]) => topics.flatMap((topic) => topic.neighbours);

/** The subgraphs of other teams that follow docs/federation.md. */
export const neighbours = ofTopics(advised);

/** The supergraph of a gateway: its other subgraphs, and the cases of these. */
export function supergraphOf(canGuard: boolean) {
  const topics = [...(canGuard ? [guarded] : []), ...advised, requiredArguments];
  return {
    subgraphsOf: (data: OtherData) => [...othersWith(data), ...ofTopics(topics)],
    cases: topics.flatMap(({ cases }) => cases),
  };
}
