import type { OtherSubgraph } from '../subgraphs/others.ts';
import { finance, neighbours } from './neighbours.ts';
import { requiredArguments } from './required-arguments.ts';

/** The composers. */
export type ComposerName = 'Apollo' | 'Guild' | 'WunderGraph' | 'Grafbase';

/** Subgraphs of other teams that are composed with ours. */
export interface Composition {
  readonly title: string;
  readonly neighbours: readonly Pick<OtherSubgraph, 'name' | 'sdl'>[];
  /** The composers that refuse them. */
  readonly refusedBy: readonly ComposerName[];
  /** What the message of a composer that refuses them has. */
  readonly reason?: RegExp;
  /** Whether an input of ours loses a field without an error. */
  readonly losesField?: true;
}

/** A subgraph with these definitions. */
function defining(imports: string, definitions: string): Pick<OtherSubgraph, 'name' | 'sdl'> {
  const url = 'https://specs.apollo.dev/federation/v2.9';
  return { name: 'other', sdl: `extend schema @link(url: "${url}", import: [${imports}])\n${definitions}` };
}

/** Requires a field with an id as an argument. */
export const idArgument = defining(
  '"@key", "@external", "@requires"',
  `type Dataset @key(fields: "id") {
    id: ID!
    asset(assetId: ID!): Asset @external
    pilot: String @requires(fields: "asset(assetId: \\"a\\") { name }")
  }
  type Asset @key(fields: "datasetId assetId") { datasetId: ID! assetId: ID! name: String @external }`,
);

/** Declares an input of ours that lacks a field. Then no client can use that field. */
export const halfInput = defining(
  '"@key", "@external", "@requires"',
  `type Dataset @key(fields: "id") {
    id: ID!
    results(filter: ResultsFilterInput): DatasetResults @external
    origin: String @requires(fields: "results { sourceId }")
  }
  type DatasetResults @external { sourceId: ID }
  input ResultsFilterInput { assetIds: [ID!] }`,
);

export const compositions: readonly Composition[] = [
  {
    title: 'all neighbours together',
    neighbours: [...neighbours, ...requiredArguments.neighbours, finance],
    refusedBy: [],
  },
  {
    title: '`@requires` with an id as an argument',
    neighbours: [idArgument],
    refusedBy: ['Grafbase'],
  },
  {
    title: '`@provides(fields: "name")` on a field that returns `Dataset`',
    neighbours: [
      defining(
        '"@key", "@external", "@provides"',
        `type Query { found(text: String!): [Dataset!]! @provides(fields: "name") }
        type Dataset @key(fields: "id") { id: ID! name: String @external }`,
      ),
    ],
    refusedBy: ['Apollo'],
    reason: /Non-shareable field "Dataset.name"/,
  },
  {
    title: '`type Dataset @interfaceObject`',
    neighbours: [
      defining(
        '"@key", "@interfaceObject"',
        'type Dataset @key(fields: "id") @interfaceObject { id: ID! labels: [String!]! }',
      ),
    ],
    refusedBy: ['Apollo', 'Guild', 'WunderGraph'],
    reason:
      /"Dataset" is (defined using incompatible types|declared with @interfaceObject)|"Dataset" has mismatched kind/,
  },
  {
    title: 'a `Query` field that returns `DatasetProcessing`, without its name',
    neighbours: [
      defining(
        '"@key"',
        `type Query { processings: [DatasetProcessing!]! }
        type DatasetProcessing @key(fields: "id") { id: ID algorithm: String }`,
      ),
    ],
    refusedBy: ['Apollo', 'Guild'],
    reason: /cannot find field "DatasetProcessing.name"/,
  },
  {
    title: 'an input of ours with some of its fields',
    neighbours: [halfInput],
    refusedBy: [],
    losesField: true,
  },
];

/** Whether the input of a schema has all of its fields. */
export const hasWholeInput = (schema: string) => /input ResultsFilterInput[^}]*timeRange/.test(schema);
