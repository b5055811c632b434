import { federateSubgraphsContract, newContractTagOptionsFromArrays } from '@wundergraph/composition';
import { type DocumentNode, type GraphQLObjectType, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { otherSubgraphs, typeDefsOf } from '../supergraph/subgraphs/schemas.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { type ComposedSubgraph, composers, composeSupergraph } from './composers.ts';

function subgraph(name: string, typeDefs: DocumentNode): ComposedSubgraph {
  return { name, url: `https://${name}.example/graphql`, typeDefs };
}

const ours = subgraph('dataset', readTypeDefs());
const others = otherSubgraphs.map((name) => subgraph(name, typeDefsOf(name)));
const all = [ours, ...others];

/** All of them, with one text in the schema of one replaced wherever it stands. */
function withReplaced(name: string, text: string, replacement: string): ComposedSubgraph[] {
  return all.map((one) => {
    if (one.name !== name) return one;
    const sdl = print(one.typeDefs);
    expect(sdl).toContain(text);
    return subgraph(name, parse(sdl.replaceAll(text, replacement)));
  });
}

describe.each(Object.entries(composers))('Composition by %s', (_, compose) => {
  it('has no errors and no hints, alone', () => {
    expect(compose([ours])).toMatchObject({ errors: [], hints: [] });
  });

  it('has no errors and no hints with the subgraph that the README shows', () => {
    const [, shown] = blocksOf('README.md').filter(({ language }) => language === 'graphql');
    expect(compose([ours, subgraph('other', parse(shown?.code ?? ''))])).toMatchObject({ errors: [], hints: [] });
  });

  it('has no errors and no hints with the subgraphs of other teams', () => {
    expect(compose(all)).toMatchObject({ errors: [], hints: [] });
  });

  it.each([
    ['another subgraph defines a field of ours', 'catalog', 'collections(', 'name: String collections(', /name/],
    ['another subgraph knows an asset by half of its key', 'inspections', '"datasetId assetId"', '"assetId"', /Asset/],
    ['another subgraph gives a field of ours another type', 'inspections', 'version: Int64', 'version: Int', /version/],
    ['our types that others may define are no longer @shareable', 'dataset', ' @shareable', '', /PageInfo/],
    ['our datasets are no longer an entity', 'dataset', 'Dataset @key(fields: "id")', 'Dataset', /Dataset/],
  ])('refuses it when %s', (_case, name, text, replacement, message) => {
    const { errors } = compose(withReplaced(name, text, replacement));
    expect(errors.join('\n')).toMatch(message);
  });
});

/** Another subgraph that describes `Query`. */
function describing(name: string, description: string): ComposedSubgraph {
  return subgraph(name, parse(`"""${description}""" type Query { ${name}: Int }`));
}

describe.each(Object.entries(composers))('The description of Query, composed by %s', (composer, compose) => {
  const ofOurs = 'The root of all queries.';
  const isLongest = composer === '@wundergraph/composition';
  const short = 'Short.';
  const long = 'Long. '.repeat(500);

  it.each([
    ['ours where no other subgraph describes it', others, ofOurs],
    ['ours beside a later name', [describing('later', short)], ofOurs],
    ['that of an earlier name, or the longest', [describing('a', short)], isLongest ? ofOurs : short],
    ['the longest, or ours beside a later name', [describing('later', long)], isLongest ? 'Long.' : ofOurs],
  ])('is %s', (_title, more, expected) => {
    const { errors, hints, schema } = compose([ours, ...more]);
    const [, description] = /^"""\n?((?:(?!""").|\n)*)"""\ntype Query\b/m.exec(schema) ?? [];
    expect([errors, description?.startsWith(expected)]).toEqual([[], true]);
    const differs = composer === '@apollo/composition' && more !== others;
    expect(hints).toEqual(differs ? [expect.stringContaining('"Query" has inconsistent descriptions')] : []);
  });
});

it.each([
  [[], true],
  [['token-in-url'], false],
])('A contract that excludes the tags %j has Dataset.downloadUrlWithToken: %j', (excluded, isThere) => {
  const result = federateSubgraphsContract({
    subgraphs: [{ name: ours.name, url: ours.url, definitions: ours.typeDefs }],
    contractTagOptions: newContractTagOptionsFromArrays(excluded, []),
    version: '1',
  });
  if (!result.success) expect.unreachable();
  const type = result.federatedGraphClientSchema.getType('Dataset') as GraphQLObjectType;
  expect('downloadUrlWithToken' in type.getFields()).toBe(isThere);
});

describe('Supergraph', () => {
  it('is that of test/supergraph/supergraph.graphql, so that a change of the contract is seen', async () => {
    await expect(`${composeSupergraph(all).trim()}\n`).toMatchFileSnapshot('../supergraph/supergraph.graphql');
  });
});
