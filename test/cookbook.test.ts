import { type OperationDefinitionNode, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Subgraph, startSubgraph } from '../src/server/app.ts';
import { loadDemoData } from '../src/simulator/demo-data.ts';
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts';
import { blocksOf } from './doc-blocks.ts';
import { describeCall, queryAt } from './harness.ts';

const [variables, ...blocks] = blocksOf('docs/cookbook.md');

/** A query, the answer below it, and the REST calls below that. */
const recipes = blocks.flatMap(({ language, code, before }, index) => {
  if (language !== 'graphql') return [];
  const [answer, calls] = blocks.slice(index + 1, index + 3);
  const heading = /^## (.*)$/m.exec(before)?.[1] ?? '';
  const hasCalls = calls?.language === 'text';
  return [
    { heading, document: code, answer: answer?.code ?? '', calls: hasCalls ? calls.code.trim().split('\n') : [] },
  ];
});

describe('docs/cookbook.md', () => {
  let simulator: Simulator;
  let subgraph: Subgraph;
  beforeAll(async () => {
    simulator = await startSimulator(await loadDemoData());
    const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent' });
    subgraph = await startSubgraph({ config, serviceUrl: new URL(simulator.url), corsOrigins: [] });
    return async () => {
      await subgraph.stop();
      await simulator.close();
    };
  });

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

  it.each(recipes)('$heading: gives this answer, by these REST calls', async ({ document, answer, calls }) => {
    const { variableDefinitions = [] } = parse(document).definitions[0] as OperationDefinitionNode;
    const values = JSON.parse(variables?.code ?? '');
    const named = variableDefinitions.map(({ variable }) => [variable.name.value, values[variable.name.value]]);
    simulator.clear();
    const { body } = await queryAt(new URL(subgraph.url), document, {
      token: 'demo-token',
      variables: Object.fromEntries(named),
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    for (const error of body.errors ?? []) delete error.locations;
    expect(body).toEqual(JSON.parse(answer));
    expect(simulator.requests.map(describeCall).toSorted()).toEqual(calls.toSorted());
  });
});
