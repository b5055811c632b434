import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, type TestBed, TOKEN } from '../support/harness.ts';
import { largeResponse } from '../support/results-bodies.ts';

/** The largest part of the time of a large response that others wait at a stretch: done at a stretch, it would be all. */
const MAX_PART = 1 / 5;
/** What takes less may be done at a stretch for that part of it, because nobody notices 50 ms. */
const MIN_TOTAL_MS = 250;

describe('A large response', () => {
  const far = (rows: number) =>
    Array.from({ length: 100 }, (_, index) => `r${index}: rows(offset: ${rows - 1}) { valueDate }`).join(' ');

  const times = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join();
  const oneAsset = (members: string) => `{"assets":[{"asset_id":"a",${members}}]}`;

  it.each([
    { work: 'reads a large answer', body: () => largeResponse('1', 800_000), selection: 'rowCount' },
    {
      work: 'reads odd rows',
      body: () => largeResponse('1', 400_000).replaceAll('.7}', '.7,"value":"none"}'),
      selection: 'asset { assetId }',
    },
    {
      work: 'reads rows of which no two look alike',
      body: () => oneAsset(`"results":[${times(200_000, (index) => `{"metrics":[{"name":"${index}","value":1}]}`)}]`),
      selection: 'asset { assetId }',
    },
    {
      work: 'reads one row of many metrics',
      body: () => oneAsset(`"results":[{"metrics":[${times(1_500_000, (index) => `{"name":"${index}"}`)}]}]`),
      selection: 'asset { assetId }',
    },
    {
      work: 'reads many assets',
      body: () => `{"assets":[${times(1_000_000, (index) => `{"asset_id":"${index}"}`)}]}`,
      selection: 'asset { assetId }',
      first: 1,
    },
    {
      work: 'reads what nobody asks for',
      body: () => oneAsset(`"x":[${times(2_500_000, (index) => `{"y":[${index}]}`)}],"results":[]`),
      selection: 'rowCount',
    },
    { work: 'goes over rows again and again', body: () => largeResponse('1', 400_000), selection: far(400_000) },
    {
      work: 'writes much',
      body: () => largeResponse('1', 600_000),
      selection: 'rows { metrics { value name } } again: rows { valueDate metrics { name } }',
    },
  ])('lets others have their responses while it $work', async ({ body: makeBody, selection, first }) => {
    const bed = await start();
    const body = makeBody();
    const series = `series${first === undefined ? '' : `(first: ${first})`} { nodes { ${selection} } }`;
    bed.simulator.intercept(() => ({ body }));
    const document = `{ dataset(id: "${DATASET_ID}") { results { ${series} } } }`;
    // A part of the time does not depend on the machine. The best of some attempts, because a busy machine adds to each.
    const parts: number[] = [];
    for (let attempt = 0; attempt < 5 && Math.min(...parts, MAX_PART) === MAX_PART; attempt += 1) {
      const { totalMs, longestMs } = await healthWhile(bed, document);
      parts.push(longestMs / Math.max(totalMs, MIN_TOTAL_MS));
    }
    expect(Math.min(...parts)).toBeLessThan(MAX_PART);
  });

  /**
   * Asks for a large answer. From when the REST service has given it, so that only computing is left, the health check
   * is asked again and again on a kept connection: for how long, and how long it waited at most, in milliseconds.
   */
  async function healthWhile(bed: TestBed, document: string): Promise<{ totalMs: number; longestMs: number }> {
    const { origin } = new URL(bed.subgraph.url);
    const large = new Client(origin);
    const health = new Client(origin);
    const ask = async () => (await health.request({ path: '/health/live', method: 'GET' })).body.dump();
    await ask();
    bed.log.length = 0;
    let isAnswered = false;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const answered = large
      .request({ path: '/graphql', method: 'POST', headers, body: JSON.stringify({ query: document }) })
      // Not kept, nor parsed: that would keep others waiting, in this same process.
      .then(async ({ body }) => {
        for await (const _chunk of body);
        isAnswered = true;
      });
    while (!bed.log.some((line) => line.includes('getDatasetResults'))) await setImmediate();
    const started = performance.now();
    let longestMs = 0;
    while (!isAnswered) {
      const asked = performance.now();
      await ask();
      longestMs = Math.max(longestMs, performance.now() - asked);
    }
    const totalMs = performance.now() - started;
    await answered;
    await Promise.all([large.close(), health.close()]);
    return { totalMs, longestMs };
  }

  const asText = (body: string): string | Buffer => body;

  it.each([
    { how: 'over connections that are closed behind each of them', headers: { connection: 'close' }, encode: asText },
    { how: 'in chunks, without a length', headers: { 'transfer-encoding': 'chunked' }, encode: asText },
    { how: 'compressed', headers: { 'content-encoding': 'gzip' }, encode: (body: string) => gzipSync(body) },
  ])('reads many large responses for one operation, $how', async ({ headers, encode }) => {
    const bed = await start({ env: { UPSTREAM_CONNECTIONS: '1' } });
    // Of different lengths, so that no row stands where one of another answer does.
    const ids = ['5', '66', '777', '8888'];
    bed.simulator.intercept(({ datasetId = '' }) => ({
      status: 200,
      body: encode(largeResponse(datasetId, 40_000 * datasetId.length)),
      headers,
    }));
    const response = await bed.query(
      `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { results { series { nodes {
        asset { assetId } rows(first: 2, offset: 39998) { valueDate value(metric: "moisture") }
      } } } } }`,
      { variables: { ids } },
    );
    const nodesOf = (id: string) => [
      {
        asset: { assetId: id },
        rows: [39_998, 39_999].map((row) => ({ valueDate: `${id}/${row}`, value: Number(`${id}.${row}`) })),
      },
    ];
    expect(response.body).toEqual({
      data: { datasetsByIds: ids.map((id) => ({ results: { series: { nodes: nodesOf(id) } } })) },
    });
    expect(bed.subgraph.oddRows.count).toBe(0);
  });
});
