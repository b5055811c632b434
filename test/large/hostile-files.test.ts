import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { bodies, computedBodies } from './hostile.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };

/** The URL of a file, which needs the header `Authorization`. @param field with its arguments */
async function urlOf(field: string): Promise<string> {
  const query = `{ dataset(id: "${DATASET_ID}") { results { file: ${field} { url } } } }`;
  const { body } = await request(`${subgraph.origin}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const { data } = (await body.json()) as { data: { dataset: { results: { file: { url: string } } } } };
  return data.dataset.results.file.url;
}

/** Downloads a file, as far as there is one. */
async function download(url: string): Promise<{ status: number; bytes: number }> {
  const { statusCode, body } = await request(url, { headers });
  let bytes = 0;
  try {
    for await (const chunk of body) bytes += chunk.length;
  } catch {
    // It breaks off if a part of it cannot be written.
  }
  return { status: statusCode, bytes };
}

/** NDJSON is written as CSV is, by the same code. */
const files = ['CSV', 'PARQUET', 'ARROW'].flatMap((format) =>
  ['LONG', 'WIDE'].map((layout) => `rowsFile(format: ${format}, layout: ${layout})`),
);

/** Of what is computed, and the bodies of which that is expensive, or whose texts are long. */
const computed = ['CSV', 'PARQUET'].flatMap((format) => [
  `seriesPeriodsFile(every: DAY, format: ${format})`,
  `seriesStatisticsFile(format: ${format})`,
  `byDateFile(format: ${format}, quantiles: [0.1, 0.5, 0.9])`,
]);
const longTexts = new Set(['strings of 2 MB', 'names and dates of 100 kB']);

describe.each(Object.entries(bodies))('3.27 Of %s', (title, makeBody) => {
  beforeAll(() => {
    const body = makeBody();
    subgraph.answer = (method) => (method === 'GET' ? Buffer.from('{}') : body);
  });

  const isComputed = computedBodies.has(title) || longTexts.has(title);
  it.each([...files, ...(isComputed ? computed : [])])(
    'a file keeps nobody waiting: %s',
    { timeout: 120_000 },
    async (file) => {
      const url = await urlOf(file);
      await expectHarmless(subgraph, async () => {
        const { status, bytes, ...seen } = await whileOthersWait(subgraph, () => download(url));
        // A limit of what is computed may be exceeded.
        expect(computed.includes(file) ? [200, 400, 502] : [200, 502]).toContain(status);
        expect(bytes).toBeGreaterThan(0);
        return seen;
      });
    },
  );
});

describe('3.27 Of a static file', () => {
  it.each([
    ['dots', `attachment; filename="a${'.'.repeat(15_000)}b"`],
    ['spaces', `attachment; filename="a${' '.repeat(15_000)}b"`],
    ['quotes', `attachment; filename="${'\\"'.repeat(7500)}"`],
    ['characters outside ASCII', `attachment; filename*=UTF-8''${'%E4%B8%80'.repeat(1600)}`],
    ['parameters', `attachment${'; a=b'.repeat(3000)}`],
  ])('a long name keeps nobody waiting: %s', async (_title, disposition) => {
    subgraph.answer = () => Buffer.from('date,value\n');
    subgraph.headers = { 'content-disposition': disposition };
    const url = `${subgraph.origin}/download/dataset/${DATASET_ID}`;
    await expectHarmless(subgraph, async () => {
      const { status, bytes, ...seen } = await whileOthersWait(subgraph, () => download(url));
      expect([status, bytes]).toEqual([200, 11]);
      return seen;
    });
  });
});
