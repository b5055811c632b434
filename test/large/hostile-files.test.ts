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

const rows = {
  csv: { long: 'format=csv&layout=long', wide: 'format=csv&layout=wide' },
  parquet: { long: 'format=parquet&layout=long', wide: 'format=parquet&layout=wide' },
  arrow: { long: 'format=arrow&layout=long', wide: 'format=arrow&layout=wide' },
};
const periods = 'of=periods&every=day&format=csv';
const byDate = 'of=byDate&quantile=0.1&quantile=0.9&format=parquet';
const statistics = 'of=statistics&format=parquet';

/** The files that are worst for each body. NDJSON is written as CSV is, by the same code. */
const worst: Readonly<Record<string, readonly string[]>> = {
  'one row of 300,000 metrics': [rows.csv.long, rows.csv.wide, rows.parquet.long, rows.parquet.wide, periods],
  'the same with an odd value': [rows.csv.long],
  'rows of 10,000 metrics': [rows.parquet.wide, rows.arrow.wide, byDate, statistics],
  'names and dates of 100 kB': [rows.csv.wide, rows.parquet.wide, rows.arrow.long, periods],
  'strings of 2 MB': [rows.csv.long, periods, byDate],
  'strings of 2 MB beside odd values': [rows.parquet.wide],
  'templates of many metrics': [rows.csv.long, rows.parquet.wide],
  'a million values of one date': [rows.csv.wide, rows.parquet.long, byDate, statistics],
  '20,000 long dates that are no points in time': [rows.parquet.wide, byDate],
  '10,000 days': [periods],
  'a million tiny assets': [rows.csv.long, rows.parquet.wide, periods, statistics],
  'rows of which no two look alike': [rows.csv.long],
};

describe.each(Object.entries(worst))('3.27 Of %s', (title, queries) => {
  beforeAll(() => {
    const body = bodies[title]?.() as Buffer;
    subgraph.answer = (method) => (method === 'GET' ? Buffer.from('{}') : body);
  });

  it.each(queries)('a file keeps nobody waiting: %s', { timeout: 120_000 }, async (query) => {
    await expectHarmless(subgraph, async () => {
      const { status, bytes, ...seen } = await whileOthersWait(subgraph, () => download(resultsPath(query)));
      // A limit of what is computed may be exceeded.
      expect(query.startsWith('of=') ? [200, 400, 502] : [200, 502]).toContain(status);
      expect(bytes).toBeGreaterThan(0);
      return seen;
    });
  });
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
