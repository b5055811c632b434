import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../support/harness.ts';
import { PROJECT } from '../support/process.ts';
import { service, settings } from './data.ts';
import { gateways } from './gateways/gateways.ts';
import { composeByGrafbase, grafbase } from './gateways/grafbase.ts';
import { compositions, verdictOf } from './neighbours/compositions.ts';
import { queryInParts } from './neighbours/incremental.ts';
import { supergraphs } from './neighbours/neighbours.ts';
import { PROGRAMS } from './programs/folder.ts';
import { type Rig, startRig } from './rig.ts';

const all = gateways
  .filter(({ runsHere }) => runsHere)
  .flatMap((gateway) => supergraphs.map((supergraph) => ({ gateway, ...supergraph })));
const runs = all.filter(({ gateway, refusedBy }) => refusedBy?.[gateway.name] === undefined);

it.each(all.filter((run) => !runs.includes(run)))(
  '$gateway.name does not start with $neighbours.0.name',
  async ({ gateway, neighbours, refusedBy }) => {
    const rig = startRig(gateway, { service, settings, others: neighbours });
    await expect(rig).rejects.toThrow(refusedBy?.[gateway.name]);
  },
);

describe.each(runs)('Neighbours behind $gateway.name', ({ gateway, neighbours, cases }) => {
  let rig: Rig | undefined;
  const stop = async () => {
    await rig?.stop();
    rig = undefined;
  };
  beforeEach(async () => {
    rig ??= await startRig(gateway, { service, settings, others: neighbours });
    rig.reset();
  });
  afterAll(stop);

  it.each(cases)('$title', async ({ document, accept, holds, outcomes, behind }) => {
    if (rig === undefined) expect.unreachable();
    const { simulator, url, calls, gatewayEnded } = rig;
    const outcome = outcomes[behind[gateway.name]];
    const firstPart = gate();
    if (Array.isArray(outcome?.body)) {
      simulator.intercept(async ({ operation }) => {
        if (operation === holds) await firstPart.opened;
        return undefined;
      });
    }
    const response = queryInParts(url, document, accept ?? 'application/json', firstPart.open);
    if (outcome?.exitCode !== undefined) {
      await expect(response).rejects.toThrow('fetch failed');
      const { code: exitCode } = await gatewayEnded;
      await stop();
      expect({ exitCode, calls: calls() }).toEqual(outcome);
      return;
    }
    const { status, body } = await response;
    expect({ status, body, calls: calls().toSorted() }).toEqual({
      status: 200,
      ...outcome,
      calls: outcome?.calls.toSorted(),
    });
  });
});

describe.skipIf(!grafbase.runsHere)('Neighbours composed by Grafbase', () => {
  it.each(compositions)('$title', async ({ neighbours, verdicts }) => {
    const folder = await mkdtemp(join(PROGRAMS, 'node_modules/.run-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const ours = {
      name: 'dataset',
      url: 'https://dataset.example/graphql',
      schemaFile: join(PROJECT, 'schema.graphql'),
    };
    const others = neighbours.map(async ({ name, sdl }) => {
      const schemaFile = join(folder, `${name}.graphql`);
      await writeFile(schemaFile, sdl);
      return { name, url: `https://${name}.example/graphql`, schemaFile };
    });
    const subgraphs = [ours, ...(await Promise.all(others))];
    const { code, output } = await composeByGrafbase({ subgraphs, folder });
    expect(verdictOf(code === 0 ? output : '')).toBe(verdicts.Grafbase);
  });
});
