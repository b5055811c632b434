import { ofDataset } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

const finance: OtherSubgraph = {
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

const REFUSED = 'the gateway does not start';
const SERVED = 'wrong: served to everyone';

/** Apart from the others, because not every gateway starts with them. Here none has been told how to authenticate clients. */
export const guarded: Topic = {
  isApart: true,
  refusedBy: { 'Apollo Gateway': /authenticated/ },
  neighbours: [finance],
  cases: [
    {
      title: 'guards fields that it adds with `@authenticated` and `@requiresScopes`',
      document: ofDataset('budget price'),
      outcomes: { [SERVED]: { body: { data: { dataset: { budget: 100, price: 7 } } }, calls: [] } },
      behind: { ...everywhere(SERVED), 'Apollo Gateway': REFUSED },
    },
  ],
};
