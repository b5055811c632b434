import { describe, expect, it } from 'vitest';
import { assetResult, respondWith, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

describe('3.43 Results as files of a row with many metrics, each with the texts of its asset', () => {
  it.each(['csv', 'ndjson', 'parquet', 'arrow'])('as %s', async (format) => {
    const bed = await start();
    const name = 'n'.repeat(20_000);
    const metrics = Array.from({ length: 60 }, (_, index) => ({ name: `metric-${index}`, value: index }));
    // The last row is a long one.
    const results = [
      { value_date: 'd', metrics },
      { value_date: 'e', metrics: [...metrics, { name: 'x', value: 1e20 }] },
    ];
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), asset_name: name, results }] } });
    const { isComplete, text } = await receive(bed, resultsPath(`format=${format}`));
    expect(isComplete).toBe(true);
    if (format === 'csv' || format === 'ndjson') expect(text.split(name)).toHaveLength(60 + 61 + 1);
  });
});

describe('3.43 Results as files', () => {
  it.each([
    ['csv', 10_000],
    ['ndjson', 10_000],
    ['parquet', 1000],
    ['arrow', 1000],
  ])('as %s have %i columns of metrics, and no more', async (format, most) => {
    const bed = await start();
    const ask = async (count: number, layout: string) => {
      const metrics = Array.from({ length: count }, (_, index) => ({ name: `m${index}`, value: index }));
      respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [{ metrics }] }] } });
      return receive(bed, resultsPath(`format=${format}&layout=${layout}`));
    };
    expect((await ask(most, 'wide')).status).toBe(200);
    const { status, text } = await ask(most + 1, 'wide');
    expect([status, JSON.parse(text).errors]).toMatchObject([
      502,
      [
        {
          message: `The response of the dataset service is too large (the maximum of columns is ${most}): use the layout LONG.`,
          extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
        },
      ],
    ]);
    expect((await ask(most + 1, 'long')).status).toBe(200);
  });
});
