import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../support/harness.ts';
import { PROJECT } from '../support/process.ts';
import { service, settings } from './data.ts';
import { gateways } from './gateways/gateways.ts';
import { composeByGrafbase, grafbase } from './gateways/grafbase.ts';
import { compositions, verdictOf } from './neighbours/compositions.ts';
import { queryInParts } from './neighbours/incremental.ts';
import { neighbourCases, neighbours } from './neighbours/neighbours.ts';
import { PROGRAMS } from './programs/folder.ts';
import { type Rig, startRig } from './rig.ts';

describe.each(gateways.filter(({ runsHere }) => runsHere))('Neighbours behind $name', (gateway) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(gateway, { service, settings, others: neighbours });
  });
  afterAll(() => rig?.stop());
  beforeEach(() => rig.reset());

  it.each(neighbourCases)('$title', async ({ document, accept, holds, outcomes, behind }) => {
    const outcome = outcomes[behind[gateway.name]];
    const firstPart = gate();
    if (Array.isArray(outcome?.body)) {
      rig.simulator.intercept(async ({ operation }) => {
        if (operation === holds) await firstPart.opened;
        return undefined;
      });
    }
    const { status, body } = await queryInParts(rig.url, document, accept ?? 'application/json', firstPart.open);
    expect({ status, body, calls: rig.calls().toSorted() }).toEqual({
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
