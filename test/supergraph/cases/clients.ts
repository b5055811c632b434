import { expect } from 'vitest';
import { DATASET_ID, gate, TOKEN } from '../../harness.ts';
import { OTHER_TOKEN, visit } from '../data.ts';
import type { Rig } from '../rig.ts';
import type { Cases } from './case.ts';

const metadataAndResults = `{ dataset(id: "${DATASET_ID}") { name results { processingId } } }`;

/** How long a call may take to end that nothing but the client's leaving can end so soon. */
const END_MS = 10_000;

/** The values of the Authorization header of each REST call made so far. */
function authorizations({ simulator }: Rig) {
  return simulator.requests.map(({ headers }) => headers.authorization);
}

/** A client leaves while its REST call is being answered; what becomes of the call. */
async function leaveDuring(rig: Rig, document: string) {
  const { simulator, query } = rig;
  const arrived = gate();
  const answered = gate();
  async function* heldBack() {
    arrived.open();
    await answered.opened;
    yield '{}';
  }
  simulator.intercept(() => ({ body: heldBack() }));
  const client = new AbortController();
  const left = expect(query(document, { signal: client.signal })).rejects.toThrow('aborted');
  await arrived.opened;
  client.abort();
  await left;
  // The gateway has something else to do meanwhile, and so time to hear that the client has left.
  await query('{ collection(id: "none") { id } }');
  const late = AbortSignal.timeout(END_MS);
  const outcome = simulator.requests[0]?.outcome;
  if (rig.gateway.habits.clientLeaves === 'end') {
    const tooLate = new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
    expect(await Promise.race([outcome, tooLate])).toBe('aborted');
    answered.open();
  } else {
    answered.open();
    expect(await outcome).toBe('answered');
  }
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

  'forwards no other header of the caller to REST': async ({ query, simulator }) => {
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

  'gives callers who ask the same at the same time an answer each, with the token of each': async (rig) => {
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
    // What the service answers to the third is a 401, whatever its body.
    expect(responses.map(({ body }) => body.data.dataset)).toEqual([
      { name: `for Bearer ${TOKEN}` },
      { name: `for Bearer ${OTHER_TOKEN}` },
      null,
    ]);
  },

  'asks without a token for what needs none, and says what does': async ({ query, calls }) => {
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { id name download { method } } }`, { token: null });
    expect(body.data).toEqual({ dataset: null });
    expect(body.errors).toMatchObject([{ path: ['dataset'], extensions: { code: 'UNAUTHENTICATED' } }]);
    const free = await query(`{ dataset(id: "${DATASET_ID}") { id download { method } } }`, { token: null });
    expect(free.body).toEqual({ data: { dataset: { id: DATASET_ID, download: { method: 'GET' } } } });
    expect(calls()).toEqual([]);
  },

  'does with the REST call of a client that leaves what it is known for': async (rig) => {
    await leaveDuring(rig, `{ dataset(id: "${DATASET_ID}") { name } }`);
  },

  'does the same where the call is for an entity': async (rig) => {
    rig.others.collections.set('c', { title: 'Fields', datasetIds: [DATASET_ID] });
    await leaveDuring(rig, '{ collection(id: "c") { datasets { name } } }');
  },
};
