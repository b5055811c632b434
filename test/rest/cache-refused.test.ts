import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, start } from '../support/harness.ts';

const tokens = ['token-of-anna', 'token-of-bert'];
const datasets = ['one', 'two', 'three'];
const documents = [
  ofDataset('name'),
  ofDataset('results { processingId }'),
  ofDataset('results(filter: { assetIds: ["a"] }) { processingId }'),
];

/** All that clients read. */
const everything = tokens.flatMap((token) =>
  datasets.flatMap((id) => documents.map((document) => ({ token, id, document }))),
);

/*
 * Clause 3.40 of docs/contract.md in detail: what a refusal drops.
 * A 401 drops everything of its token, and a 403 everything of its token and its dataset: what is kept, and what running calls
 * bring, which nobody joins any more. Everything else is still there, and others still join its calls.
 */
describe('3.40 A refusal', () => {
  it.each(['kept', 'on its way'])(
    'drops what its token and dataset have, and nothing else: what is %s',
    async (state) => {
      const isKept = state === 'kept';
      const refusals = fc.record({
        token: fc.constantFrom(...tokens),
        id: fc.constantFrom(...datasets),
        status: fc.constantFrom(401, 403),
        isDownload: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(refusals, fc.shuffledSubarray(everything, { minLength: 6 }), async (refusal, reads) => {
          const bed = await start({
            accounts: tokens.map((token) => ({ email: token, password: 'secret', token })),
            env: { CACHE: 'memory', UPSTREAM_CONNECTIONS: '100' },
          });
          const { query, http, simulator, calls } = bed;
          const { opened, open } = gate();
          if (isKept) open();
          let refuses = false;
          simulator.intercept(async () => {
            if (refuses) return { status: refusal.status };
            await opened;
            return { status: 200, body: '{"name":"n","processing_id":"p"}' };
          });
          const readAll = () => reads.map(({ token, id, document }) => query(document, { token, variables: { id } }));
          const responses = readAll();
          await eventually(() => expect(calls()).toHaveLength(reads.length));
          if (isKept) await Promise.all(responses);

          refuses = true;
          const { token, id } = refusal;
          if (refusal.isDownload)
            await http(`/download/dataset/${id}`, { headers: { authorization: `Bearer ${token}` } });
          else {
            const document = ofDataset('results(filter: { assetIds: ["other"] }) { processingId }');
            expect((await query(document, { token, variables: { id } })).body.errors).toHaveLength(1);
          }
          refuses = false;

          const dropped = reads.filter((read) => read.token === token && (refusal.status === 401 || read.id === id));
          const expected = reads.length + 1 + dropped.length;
          responses.push(...readAll());
          await eventually(() => expect(calls().length).toBeGreaterThanOrEqual(expected));
          open();
          for (const { body } of await Promise.all(responses)) expect(body.errors).toBeUndefined();
          await Promise.all(readAll());
          expect(calls()).toHaveLength(expected);
        }),
        { numRuns: 4 },
      );
    },
  );
});
