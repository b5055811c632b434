import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/core/error-codes.ts';
import { start } from '../support/harness.ts';

/** What is no list of names. */
const malformed = [
  'Asset',
  ':Foo',
  'Asset:',
  ',',
  'Asset:Foo,',
  ',Asset:Foo',
  'Asset:Foo,,Metric:Bar',
  'Asset:Foo:Bar',
  'Asset=Foo',
  'Asset:Foo;Metric:Bar',
  'Asset :Foo',
  'Asset: Foo',
  'Query.:foo',
  '.dataset:foo',
  'Query.dataset.id:foo',
  'Asset:Foo,Asset:Bar',
  'Asset:Foo,Asset:Foo',
  'Asset:1Foo',
  'Asset:Foo-Bar',
  'Asset:F\u00f6',
  'Asset:Foo.bar',
  ...['_Any', '_Service', '_Entity', '_Foo', '__Foo', 'Foo__Bar', 'Foo__'].map((name) => `Asset:${name}`),
  'Query.dataset:_entities',
  'Query.dataset:__typename',
  '_Any:Any',
  'Query._entities:entities',
];

/** Names that the schema cannot have, and why. */
const impossible: readonly [names: string, sentence: string][] = [
  ['Nothing:Foo', 'SCHEMA_NAMES renames Nothing, which is neither a type nor a root field to rename.'],
  ['asset:Foo', 'SCHEMA_NAMES renames asset, which is neither a type nor a root field to rename.'],
  ['Query:Root', 'SCHEMA_NAMES renames Query, which is neither a type nor a root field to rename.'],
  ['ID:Key', 'SCHEMA_NAMES renames ID, which is neither a type nor a root field to rename.'],
  ['Query.nothing:foo', 'SCHEMA_NAMES renames Query.nothing, which is neither a type nor a root field to rename.'],
  ['Dataset.name:foo', 'SCHEMA_NAMES renames Dataset.name, which is neither a type nor a root field to rename.'],
  ['Asset:Dataset', 'SCHEMA_NAMES must not give Dataset and Asset the same name, but both are Dataset.'],
  ['Asset:Foo,Metric:Foo', 'SCHEMA_NAMES must not give Asset and Metric the same name, but both are Foo.'],
  [
    'Query.dataset:datasetsByIds',
    'SCHEMA_NAMES must not give Query.dataset and Query.datasetsByIds the same name, but both are datasetsByIds.',
  ],
  ...['Query', 'Mutation', 'Subscription', 'ID', 'Int', 'Float', 'String', 'Boolean'].map((name): [string, string] => [
    `Asset:${name}`,
    `SCHEMA_NAMES must not give Asset the name ${name}, which GraphQL reserves.`,
  ]),
];

/** Names that are nearly one of these. */
const possible: readonly string[] = [
  'Asset:Foo_1_,Metric:Bar',
  'Asset:Foo, Metric:Bar , Query.dataset:foo',
  'Asset:Asset',
  'Metric:FooMetric',
  'Asset:Dataset,Dataset:Asset',
  'Asset:Query_',
  'Asset:query',
  'Asset:Entity',
  'Asset:FieldSet',
  'Query.dataset:Asset',
  'Query.dataset:entities',
  'Query.dataset:Query',
  'Query.dataset:datasetsByIds,Query.datasetsByIds:dataset',
];

/*
 * Clause 3.26 of docs/contract.md in detail.
 * `SCHEMA_NAMES` gives types and the root fields `dataset` and `datasetsByIds` other names: objects, inputs, enums and
 * scalars in the schema, in `__typename`, in entity references and in messages. Nothing else changes. Names that the
 * schema cannot have stop the start with a one-line message.
 */
describe('3.26 SCHEMA_NAMES at the start', () => {
  it.each(malformed)('end it with one sentence if they are no list of names: %s', async (SCHEMA_NAMES) => {
    const sentence =
      'SCHEMA_NAMES must be entries such as Asset:DatasetAsset or Query.dataset:platformDataset, separated by commas, ' +
      'each type or field once, each new name a letter, then letters, digits and single underscores, ' +
      `but ${JSON.stringify(SCHEMA_NAMES)} was given.`;
    await expect(start({ env: { SCHEMA_NAMES } })).rejects.toThrow(new ConfigError(sentence));
  });

  it.each(impossible)('end it with one sentence if the schema cannot have them: %s', async (SCHEMA_NAMES, sentence) => {
    await expect(start({ env: { SCHEMA_NAMES } })).rejects.toThrow(new ConfigError(sentence));
  });

  it.each(possible)('do not end it otherwise: %s', async (SCHEMA_NAMES) => {
    const { query } = await start({ env: { SCHEMA_NAMES } });
    expect((await query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });
});
