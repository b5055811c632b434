import { expect } from 'vitest';
import { DATASET_ID, gate, TOKEN } from '../../support/harness.ts';
import { OTHER_TOKEN, visit } from '../data.ts';
import type { Rig } from '../rig.ts';
import type { Cases } from './case.ts';

const metadataAndResults = `{ dataset(id: "${DATASET_ID}") { name results { processingId } } }`;

/** The maximum time until a call ends after the client disconnects. No timeout of the call is as short. */
const END_MS = 10_000;

/** The Authorization headers of each REST call so far. */
function authorizations({ simulator }: Rig) {
  return simulator.requests.map(({ headers }) => headers.authorization);
}

export const clients: Cases = {
  'forwards the token exactly, to every REST call': async (rig) => {
    const { query, simulator, others } = rig;
    others.collections.set('c', { title: 'Fields', datasetIds: [DATASET_ID] });
    others.inspections.set('r', [visit('i', 'a')]);
    simulator.intercept(() => ({ status: 200, body: '{}' }));
    const printable = String.fromCharCode(...Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => 0x21 + index));
    for (const authorization of [`Bearer ${printable}`, 'bEARER x', `Bearer ${'long'.repeat(2000)}`]) {
      simulator.clear();
      const { body } = await query(
        `{
          dataset(id: "${DATASET_ID}") { name results { processingId } }
          collection(id: "c") { datasets { name } }
          inspections(round: "r") { asset { name } }
        }`,
        { token: null, headers: { authorization } },
      );
      expect(body.errors).toBeUndefined();
      expect(authorizations(rig)).toEqual([[authorization], [authorization], [authorization], [authorization]]);
    }
  },

  'forwards no other header of the client to REST': async ({ query, simulator }) => {
    await query(metadataAndResults);
    const [usual, ...others] = simulator.requests.map(({ headers }) => Object.keys(headers).toSorted());
    simulator.clear();
    const headers = {
      cookie: 'session=1',
      'x-request-id': 'mine',
      'x-custom': 'yes',
      traceparent: `00-${'a'.repeat(32)}`,
    };
    await query(metadataAndResults, { headers });
    expect(simulator.requests.map((request) => Object.keys(request.headers).toSorted())).toEqual([usual, ...others]);
  },

  'sends simultaneous clients with the same query their own responses, each with its token': async (rig) => {
    const { query, simulator } = rig;
    const all = gate();
    simulator.intercept(async ({ headers: { authorization = [] } }) => {
      if (simulator.requests.length === 3) all.open();
      await all.opened;
      return { body: JSON.stringify({ name: `for ${authorization.join()}` }) };
    });
    const tokens = [TOKEN, OTHER_TOKEN, 'nobody'];
    const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
    const responses = await Promise.all(tokens.map((token) => query(document, { token })));
    // The third response is a 401 with any body.
    expect(responses.map(({ body }) => body.data.dataset)).toEqual([
      { name: `for Bearer ${TOKEN}` },
      { name: `for Bearer ${OTHER_TOKEN}` },
      null,
    ]);
  },

  'aborts or completes the REST call of a client that disconnects, as expected': async (rig) => {
    const { simulator, query } = rig;
    const arrived = gate();
    const released = gate();
    async function* heldBack() {
      arrived.open();
      await released.opened;
      yield '{}';
    }
    simulator.intercept(() => ({ body: heldBack() }));
    const client = new AbortController();
    const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
    const aborted = expect(query(document, { signal: client.signal })).rejects.toThrow('aborted');
    await arrived.opened;
    client.abort();
    await aborted;
    // Another request gives the gateway time to notice the disconnection.
    await query('{ collection(id: "none") { id } }');
    const late = AbortSignal.timeout(END_MS);
    const outcome = simulator.requests[0]?.outcome;
    if (rig.gateway.habits.clientDisconnects === 'end') {
      const tooLate = new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
      expect(await Promise.race([outcome, tooLate])).toBe('aborted');
      released.open();
    } else {
      released.open();
      expect(await outcome).toBe('answered');
    }
  },
};
