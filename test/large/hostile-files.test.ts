import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { resultsPath } from '../support/results-files.ts';
import { bodies } from './hostile.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();

/** Downloads a file, as far as there is one. */
async function download(path: string): Promise<{ status: number; bytes: number }> {
  const { statusCode, body } = await request(new URL(path, subgraph.origin), {
    headers: { authorization: 'Bearer x' },
  });
  let bytes = 0;
  try {
    for await (const chunk of body) bytes += chunk.length;
  } catch {
    // It breaks off if a part of it cannot be written.
  }
  return { status: statusCode, bytes };
}

/** NDJSON is written as CSV is, by the same code. */
const usual = ['format=csv&layout=long', 'format=parquet&layout=wide'];
const others = [
  'format=csv&layout=wide',
  'format=parquet&layout=long',
  'format=arrow&layout=long',
  'format=arrow&layout=wide',
];
/** Of what is computed: the bodies of which that is expensive, or whose texts are long. */
const computed = ['of=periods&every=day&format=csv', 'of=byDate&quantile=0.1&quantile=0.9&format=parquet'];
const statistics = 'of=statistics&format=parquet';

const files: Readonly<Record<string, readonly string[]>> = {
  'one row of 300,000 metrics': [...others, ...computed, statistics],
  'rows of 10,000 metrics': [...computed, statistics],
  'names and dates of 100 kB': [...others, ...computed],
  'strings of 2 MB': computed,
  'a million values of one date': [...computed, statistics],
  '20,000 long dates that are no points in time': computed,
  '10,000 days': computed,
  'a million tiny assets': [...others, ...computed, statistics],
};

describe.each(Object.entries(bodies))('3.27 Of %s', (title, makeBody) => {
  beforeAll(() => {
    const body = makeBody();
    subgraph.answer = (method) => (method === 'GET' ? Buffer.from('{}') : body);
  });

  it.each([...usual, ...(files[title] ?? [])])(
    'a file keeps nobody waiting: %s',
    { timeout: 120_000 },
    async (query) => {
      await expectHarmless(subgraph, async () => {
        const { status, bytes, ...seen } = await whileOthersWait(subgraph, () => download(resultsPath(query)));
        // A limit of what is computed may be exceeded.
        expect(query.startsWith('of=') ? [200, 400, 502] : [200, 502]).toContain(status);
        expect(bytes).toBeGreaterThan(0);
        return seen;
      });
    },
  );
});

describe('3.27 Of a static file', () => {
  it.each([
    ['dots', `attachment; filename="a${'.'.repeat(15_000)}b"`],
    ['quotes', `attachment; filename="${'\\"'.repeat(7500)}"`],
    ['characters outside ASCII', `attachment; filename*=UTF-8''${'%E4%B8%80'.repeat(1600)}`],
    ['parameters', `attachment${'; a=b'.repeat(3000)}`],
  ])('a long name keeps nobody waiting: %s', async (_title, disposition) => {
    subgraph.answer = () => Buffer.from('date,value\n');
    subgraph.headers = { 'content-disposition': disposition };
    await expectHarmless(subgraph, async () => {
      const path = `/download/dataset/${DATASET_ID}`;
      const { status, bytes, ...seen } = await whileOthersWait(subgraph, () => download(path));
      expect([status, bytes]).toEqual([200, 11]);
      return seen;
    });
  });
});
