import { describe, expect, it } from 'vitest';
import { DATASET_ID, queryAt, startService } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

describe('A known document', () => {
  // A new process, because operations are numbered from its start on.
  it('never gets what was compiled for another one under its conditions', async () => {
    const { url } = await startService();
    const subgraph = await endpointOf(startEntry('main', { DATASET_SERVICE_URL: url, PORT: '0', LOG_LEVEL: 'silent' }));
    const ask = async (document: string, variables = {}) => {
      await queryAt(subgraph, document, { variables });
      const { body } = await queryAt(subgraph, document, { variables });
      return body;
    };
    const conditional = `query ($no: Boolean = true) { a: __typename dataset(id: "${DATASET_ID}") { id @skip(if: $no) } }`;
    for (const no of [null, true, false]) await ask(conditional, { no });
    for (let number = 2; number <= 30; number += 1) {
      expect(await ask(`{ a${number}: __typename }`)).toEqual({ data: { [`a${number}`]: 'Query' } });
    }
  });
});
