import { describe, expect, it } from 'vitest';
import { endlessSchema } from '../support/endless-schema.ts';
import { DATASET_ID, dataset, outline, start } from '../support/harness.ts';

describe('3.29 The deadline of an operation', () => {
  const late = {
    errors: [
      {
        message: 'The operation took longer than 1100 ms (OPERATION_TIMEOUT_MS plus 1000 ms).',
        extensions: { code: 'UPSTREAM_TIMEOUT' },
      },
    ],
  };

  it.each([
    [200, 'application/json'],
    [504, 'application/graphql-response+json'],
  ])('ends whatever it waits for, with an error of ours and the status %i for %s', async (status, accept) => {
    const bed = await start({ env: { OPERATION_TIMEOUT_MS: '100' }, makeSchema: endlessSchema });
    const started = performance.now();
    const answer = await bed.query('{ forever }', { headers: { accept } });
    expect([answer.status, answer.body]).toEqual([status, late]);
    // Timers have whole milliseconds. How much later the response comes depends on the machine.
    expect(performance.now() - started).toBeGreaterThan(1090);
  });

  it('comes after that of its REST calls, so that what is there is answered', async () => {
    const bed = await start({ env: { OPERATION_TIMEOUT_MS: '100' } });
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { hang: true } : undefined));
    expect(outline(await bed.query(`{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`))).toEqual({
      data: { dataset: { name: dataset.metadata.name, results: null } },
      errors: ['dataset.results UPSTREAM_TIMEOUT'],
    });
  });
});
