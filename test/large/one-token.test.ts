import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ofDataset, start, TOKEN } from '../support/harness.ts';
import { post, RESULTS, read } from '../support/slow-client.ts';

const CLIENTS = 60;
const LARGE_BYTES = 48_000_000;
const SMALL_ASSETS = 300;
/** Half of what an operation may take: one that waits until the time of the others is over fails. A busy machine takes some seconds. */
const MAX_MS = 14_000;
const assets = (count: number) =>
  Buffer.from(
    `{"assets":[${Array.from({ length: count }, (_, at) => `{"asset_id":"${at}","asset_name":"${'x'.repeat(960)}"}`)}]}`,
  );
/** More than what counts as small, and less than a megabyte. */
const small = assets(SMALL_ASSETS);
const names = {
  data: {
    dataset: {
      results: {
        series: { nodes: Array.from({ length: SMALL_ASSETS }, () => ({ asset: { name: 'x'.repeat(960) } })) },
      },
    },
  },
};

/*
 * Clause 3.33 of docs/contract.md in detail, with 3.28: the clients of one token that read slowly hold memory and connections for as long
 * as nobody else needs them.
 */
it.each([
  ['of known length', (body: Buffer) => body],
  [
    'of unknown length',
    async function* (body: Buffer) {
      for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
    },
  ],
])(
  '3.33 Sixty slow connections of one token do not hold up small results of others: bodies %s',
  { timeout: 120_000 },
  async (_title, send) => {
    const accounts = [TOKEN, 'other', 'third'].map((token) => ({ email: token, password: 'secret', token }));
    const bed = await start({ accounts, env: { MEMORY_BUDGET: String(256 * 2 ** 20) } });
    const large = assets(LARGE_BYTES / 1000);
    bed.simulator.intercept(({ headers: { authorization = [] } }) => ({
      body: send(authorization[0] === `Bearer ${TOKEN}` ? large : small),
    }));
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => read(bed.subgraph.url, post(RESULTS), 60_000)),
    );
    await eventually(() => expect(bed.calls().length).toBeGreaterThanOrEqual(48));
    for (const token of ['other', 'third', 'other']) {
      const began = performance.now();
      const { body } = await bed.query(ofDataset('results { series { nodes { asset { name } } } }'), { token });
      expect(body).toEqual(names);
      expect(performance.now() - began).toBeLessThan(MAX_MS);
    }
    // What was sent to them until then is whole.
    expect(
      clients.map(({ state }) => state.head.slice(0, 15)).filter((head) => head !== '' && head !== 'HTTP/1.1 200 OK'),
    ).toEqual([]);
  },
);
