import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { clients } from './cases/clients.ts';
import { entities } from './cases/entities.ts';
import { errors } from './cases/errors.ts';
import { large } from './cases/large.ts';
import { operations } from './cases/operations.ts';
import { responses } from './cases/responses.ts';
import { gateways, running } from './gateways/gateways.ts';
import { composeByGrafbase, grafbase } from './gateways/grafbase.ts';
import { compositions, hasWholeInput } from './neighbours/compositions.ts';
import { finance, supergraphOf } from './neighbours/neighbours.ts';
import { PROGRAMS } from './programs/folder.ts';
import { type Rig, startRig } from './rig.ts';

const cases = { ...clients, ...responses, ...operations, ...entities, ...errors, ...large };
const [apollo = expect.unreachable()] = gateways;

describe.each(running)('$name', (gateway) => {
  const supergraph = supergraphOf(gateway !== apollo);
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(gateway, supergraph.subgraphsOf);
  });
  afterAll(() => rig?.stop());
  beforeEach(() => rig.reset());

  for (const [name, check] of Object.entries(cases)) it(name, () => check(rig));

  it.each(supergraph.cases)('A neighbour: $title', async ({ document, right, except = {} }) => {
    const { exitCode, body, calls } = except[gateway.name] ?? right;
    if (exitCode !== undefined) {
      await expect(rig.query(document)).rejects.toThrow();
      expect((await rig.gatewayEnded).code).toBe(exitCode);
      return;
    }
    const response = await rig.query(document);
    for (const error of response.body.errors ?? []) delete error.locations;
    expect(response).toMatchObject({ status: 200 });
    expect({ body: response.body, calls: rig.calls().toSorted() }).toEqual({ body, calls: calls.toSorted() });
  });
});

it('Apollo Gateway does not start with a neighbour that guards fields', async () => {
  await expect(startRig(apollo, () => [finance])).rejects.toThrow(/authenticated/);
});

describe.skipIf(!grafbase.runsHere)('Neighbours composed by Grafbase', () => {
  it.each(compositions)('$title', async ({ neighbours, refusedBy, losesField = false }) => {
    const folder = await mkdtemp(join(PROGRAMS, '.run-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const ours = { name: 'dataset', url: 'https://a.example', schemaFile: join(PROJECT, 'schema.graphql') };
    const others = neighbours.map(async ({ name, sdl }) => {
      const schemaFile = join(folder, `${name}.graphql`);
      await writeFile(schemaFile, sdl);
      return { name, url: `https://${name}.example/graphql`, schemaFile };
    });
    const { code, output } = await composeByGrafbase({ subgraphs: [ours, ...(await Promise.all(others))], folder });
    const isRefused = refusedBy.includes('Grafbase');
    expect([code, hasWholeInput(output)]).toEqual([isRefused ? 1 : 0, !isRefused && !losesField]);
  });
});
