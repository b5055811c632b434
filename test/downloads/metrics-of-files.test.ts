import { describe, expect, it } from 'vitest';
import { assetResult, respondWith, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const metric = (name: string | null, value: unknown) => ({ name, value });

/** Starts a subgraph whose service has these assets. */
async function startWith(assets: readonly object[]) {
  const bed = await start({ env: { LOG_LEVEL: 'silent' } });
  respondWith(bed.simulator, { results: { assets } });
  return bed;
}

describe('3.43 Results as files of some metrics', () => {
  it('are written while the results arrive, also if they are wide', async () => {
    const results = Array.from({ length: 2000 }, (_, day) => ({ value_date: `${day}`, metrics: [metric('m', day)] }));
    const all = JSON.stringify({
      assets: Array.from({ length: 30 }, (_, index) => ({ asset_id: `a${index}`, results })),
    });
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(Math.ceil(all.length / 5)) } });
    bed.simulator.intercept(() => ({ body: all }));
    const file = await receive(bed, resultsPath('format=csv&layout=wide&metric=m'));
    expect([file.isComplete, file.text.split('\r\n').length]).toEqual([true, 30 * 2000 + 2]);
  });
});

describe('3.43 Results as files', () => {
  it.each([
    ['csv', 10_000],
    ['ndjson', 10_000],
    ['parquet', 1000],
    ['arrow', 1000],
  ])('as %s have %i columns of metrics, and no more', async (format, most) => {
    const ask = async (count: number, layout: string) => {
      const metrics = Array.from({ length: count }, (_, index) => metric(`m${index}`, index));
      const bed = await startWith([{ ...assetResult('a'), results: [{ metrics }] }]);
      return receive(bed, resultsPath(`format=${format}&layout=${layout}`));
    };
    expect((await ask(most, 'wide')).status).toBe(200);
    const { status, text } = await ask(most + 1, 'wide');
    const message = `The response of the dataset service is too large (the maximum of columns is ${most}): use the layout LONG.`;
    const extensions = { code: 'UPSTREAM_RESPONSE_TOO_LARGE' };
    expect([status, JSON.parse(text).errors]).toMatchObject([502, [{ message, extensions }]]);
    expect((await ask(most + 1, 'long')).status).toBe(200);
  });
});
