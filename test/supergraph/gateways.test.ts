import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { clients } from './cases/clients.ts';
import { entities } from './cases/entities.ts';
import { errors } from './cases/errors.ts';
import { large } from './cases/large.ts';
import { responses } from './cases/responses.ts';
import { service, settings } from './data.ts';
import { gateways } from './gateways/gateways.ts';
import { type Rig, startRig } from './rig.ts';

const cases = { ...clients, ...responses, ...entities, ...errors, ...large };

for (const gateway of gateways) {
  describe.skipIf(!gateway.runsHere)(gateway.name, () => {
    let rig: Rig;
    beforeAll(async () => {
      rig = await startRig(gateway, service, settings);
    });
    afterAll(() => rig?.stop());
    beforeEach(() => rig.reset());

    for (const [name, check] of Object.entries(cases)) it(name, () => check(rig));
  });
}
