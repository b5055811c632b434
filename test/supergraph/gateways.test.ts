import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import type { CaseRig } from './cases/case.ts';
import { clients } from './cases/clients.ts';
import { cpu } from './cases/cpu.ts';
import { entities } from './cases/entities.ts';
import { errors } from './cases/errors.ts';
import { large } from './cases/large.ts';
import { operations } from './cases/operations.ts';
import { responses } from './cases/responses.ts';
import { service, settings } from './data.ts';
import { gateways } from './gateways/gateways.ts';
import { writeMeasurements } from './measurements.ts';
import { startRig } from './rig.ts';
import { emptyData, othersWith } from './subgraphs/others.ts';

const cases = { ...clients, ...responses, ...operations, ...entities, ...errors, ...cpu, ...large };

afterAll(writeMeasurements);

for (const gateway of gateways) {
  describe.skipIf(!gateway.runsHere)(gateway.name, () => {
    const others = emptyData();
    let rig: CaseRig;
    beforeAll(async () => {
      rig = { ...(await startRig(gateway, { service, settings, others: othersWith(others) })), others };
    });
    afterAll(() => rig?.stop());
    beforeEach(() => {
      rig.reset();
      others.collections.clear();
      others.inspections.clear();
    });

    for (const [name, check] of Object.entries(cases)) it(name, () => check(rig));
  });
}
