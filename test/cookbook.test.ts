import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../src/simulator/demo-data.ts';
import { blocksOf } from './doc-blocks.ts';
import { start } from './harness.ts';

const [variables, ...blocks] = blocksOf('docs/cookbook.md');

/** A query, the answer below it, and the REST calls below that. */
const recipes = blocks.flatMap(({ language, code, before }, index) => {
  if (language !== 'graphql') return [];
  const [response, calls] = blocks.slice(index + 1, index + 3);
  const heading = /^## (.*)$/m.exec(before)?.[1] ?? '';
  const hasCalls = calls?.language === 'text';
  return [
    { heading, document: code, response: response?.code ?? '', calls: hasCalls ? calls.code.trim().split('\n') : [] },
  ];
});

describe('docs/cookbook.md', () => {
  it('has nothing but recipes', () => {
    const languages = blocks.map(({ language }) => language);
    expect(recipes.length).toBeGreaterThan(12);
    expect(languages.filter((language) => language === 'json')).toHaveLength(recipes.length);
    expect(languages.filter((language) => language === 'text')).toHaveLength(
      recipes.filter(({ calls }) => calls.length > 0).length,
    );
    expect(recipes.map(({ heading }) => heading)).not.toContain('');
    expect(new Set(languages)).toEqual(new Set(['graphql', 'json', 'text']));
  });

  it.each(recipes)('$heading: gives this response, by these REST calls', async ({ document, response, calls }) => {
    const bed = await start(await loadDemoData());
    const { variableDefinitions = [] } = parse(document).definitions[0] as OperationDefinitionNode;
    const values = JSON.parse(variables?.code ?? '');
    const named = variableDefinitions.map(({ variable }) => [variable.name.value, values[variable.name.value]]);
    const { body } = await bed.query(document, {
      token: 'demo-token',
      variables: Object.fromEntries(named),
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    for (const error of body.errors ?? []) delete error.locations;
    expect(body).toEqual(JSON.parse(response));
    expect(bed.calls().toSorted()).toEqual(calls.toSorted());
  });
});
