import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';

interface User {
  email: string;
  name?: string;
  totalProductsCreated?: number;
  yearsOfEmployment?: number;
}

const creator: User = {
  email: 'support@apollographql.com',
  name: 'Jane Smith',
  totalProductsCreated: 1337,
  yearsOfEmployment: 10,
};
const dimensions = { size: 'small', weight: 1, unit: 'kg' };
const studies = [
  { study: { caseNumber: '1234', description: 'Federation Study' }, outcome: null },
  { study: { caseNumber: '1235', description: 'Studio Study' }, outcome: null },
];
const products = [
  {
    id: 'apollo-federation',
    sku: 'federation',
    package: '@apollo/federation',
    variation: { id: 'OSS' },
    dimensions,
    createdBy: creator,
    notes: null,
    research: studies.slice(0, 1),
  },
  {
    id: 'apollo-studio',
    sku: 'studio',
    package: '',
    variation: { id: 'platform' },
    dimensions,
    createdBy: creator,
    notes: null,
    research: studies.slice(1),
  },
];
const deprecatedProducts = [
  {
    sku: 'apollo-federation-v1',
    package: '@apollo/federation-v1',
    reason: 'Migrate to Federation V2',
    createdBy: creator,
  },
];

/** Whether an object has all that a reference says of it, objects within it included. */
function fits(object: unknown, reference: object): boolean {
  return Object.entries(reference).every(([key, value]) => {
    const own = (object as Record<string, unknown>)[key];
    return key === '__typename' || (typeof value === 'object' ? fits(own, value) : own === value);
  });
}

const find =
  <T>(objects: readonly T[]) =>
  (reference: object) =>
    objects.find((object) => fits(object, reference)) ?? null;

/** The subgraph that Apollo's compatibility tests ask for, with the data that they expect. */
export function createProductsSchema(sdl: string): GraphQLSchema {
  const resolvers = {
    Query: {
      product: (_: unknown, key: { id: string }) => find(products)(key),
      deprecatedProduct: (_: unknown, key: { sku: string; package: string }) => find(deprecatedProducts)(key),
    },
    Product: { __resolveReference: find(products) },
    DeprecatedProduct: { __resolveReference: find(deprecatedProducts) },
    ProductResearch: { __resolveReference: find(studies) },
    User: {
      // What other fields require comes with the reference.
      __resolveReference: (reference: User) =>
        reference.email === creator.email ? { ...creator, ...reference } : null,
      averageProductsCreatedPerYear: ({ totalProductsCreated, yearsOfEmployment }: User) =>
        totalProductsCreated && yearsOfEmployment ? Math.round(totalProductsCreated / yearsOfEmployment) : null,
    },
    Inventory: {
      __resolveReference: ({ id }: { id: string }) => (id === 'apollo-oss' ? { id, deprecatedProducts } : null),
    },
  };
  return buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers }]);
}
