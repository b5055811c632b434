import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, start } from '../support/harness.ts';

const tokens = ['token-of-anna', 'token-of-bert'] as const;
const documents = [
  ofDataset('name'),
  ofDataset('results { processingId }'),
  ofDataset('results(filter: { assetIds: ["a"] }) { processingId }'),
];

/** All that clients read. */
const reads = tokens.flatMap((token) =>
  ['one', 'two', 'three'].flatMap((id) => documents.map((document) => ({ token, id, document }))),
);

/*
 * Clause 3.40 of docs/contract.md in detail: what a refusal drops.
 * A 401 drops everything of its token, and a 403 everything of its token and its dataset: what is kept, and what running calls
 * bring, which nobody joins any more. Everything else is still there, and others still join its calls.
 */
describe('3.40 A refusal', () => {
  const cases = ['is kept', 'is on its way', 'comes before it is read again'].flatMap((state) =>
    [401, 403].flatMap((status) => ['a read', 'a download'].map((what) => ({ state, status, what }))),
  );

  it.each(cases)(
    'with $status of $what drops what its token and dataset have, and nothing else: what $state',
    async ({ state, status, what }) => {
      const { query, http, simulator, calls } = await start({
        accounts: tokens.map((token) => ({ email: token, password: 'secret', token })),
        env: { CACHE: 'memory', UPSTREAM_CONNECTIONS: '100' },
      });
      const { opened, open } = gate();
      let refuses = false;
      simulator.intercept(async () => {
        if (refuses) return { status };
        await opened;
        return { status: 200, body: '{"name":"n","processing_id":"p"}' };
      });
      const readAll = () => reads.map(({ token, id, document }) => query(document, { token, variables: { id } }));
      const early = readAll();
      await eventually(() => expect(calls()).toHaveLength(reads.length));
      if (state === 'is kept') open();
      if (state === 'is kept') await Promise.all(early);

      refuses = true;
      const [token] = tokens;
      if (what === 'a download') await http('/download/dataset/one', { headers: { authorization: `Bearer ${token}` } });
      else {
        const document = ofDataset('results(filter: { assetIds: ["other"] }) { processingId }');
        expect((await query(document, { token, variables: { id: 'one' } })).body.errors).toHaveLength(1);
      }
      refuses = false;

      if (state === 'comes before it is read again') open();
      if (state === 'comes before it is read again') await Promise.all(early);
      const dropped = reads.filter((read) => read.token === token && (status === 401 || read.id === 'one'));
      const expected = reads.length + 1 + dropped.length;
      const late = readAll();
      await eventually(() => expect(calls().length).toBeGreaterThanOrEqual(expected));
      open();
      for (const { body } of await Promise.all([...early, ...late])) expect(body.errors).toBeUndefined();
      await Promise.all(readAll());
      expect(calls()).toHaveLength(expected);
    },
  );
});
