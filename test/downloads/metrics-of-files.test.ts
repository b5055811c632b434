import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { assetResult, respondWith, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const lead = 'asset_id,asset_name,asset_version,value_date';
const metric = (name: string | null, value: unknown) => ({ name, value });

/** Starts a subgraph whose service has these assets. */
async function startWith(assets: readonly object[]) {
  const bed = await start({ env: { LOG_LEVEL: 'silent' } });
  respondWith(bed.simulator, { results: { assets } });
  return bed;
}

/** The lines of a file. */
async function linesOf(query: string): Promise<string[]> {
  const x = [
    { value_date: '1', metrics: [metric('a', 1), metric('b', 2), metric('c', 3), metric('b', 4)] },
    { value_date: '2', metrics: [metric('c', 5), metric(null, 6)] },
    { value_date: '3', metrics: [metric('b', null)] },
    { value_date: '4', metrics: [] },
  ];
  // Rows of more forms than are kept.
  const y = Array.from({ length: 1100 }, (_, index) => {
    const metrics = [metric(`other${index}`, index), ...(index % 550 === 0 ? [metric('b', index)] : [])];
    return { value_date: `${index}`, metrics };
  });
  const bed = await startWith([
    { asset_id: 'x', results: x },
    { asset_id: 'y', results: y },
  ]);
  const file = await receive(bed, resultsPath(query));
  expect([file.status, file.isComplete]).toEqual([200, true]);
  return file.text.split('\r\n').slice(0, -1);
}

describe('3.43 Results as files of some metrics', () => {
  it('have only rows of these metrics if they are long', async () => {
    expect(await linesOf('format=csv&metric=b&metric=unknown')).toEqual([
      `${lead},metric,value`,
      ...['x,,,1,b,2', 'x,,,1,b,4', 'x,,,3,b,', 'y,,,0,b,0', 'y,,,550,b,550'],
    ]);
    expect(await linesOf('format=csv&metrics=none')).toEqual([`${lead},metric,value`]);
  });

  it('have columns of exactly these metrics, in their order, if they are wide', async () => {
    const lines = await linesOf('format=csv&layout=wide&metric=unknown&metric=b&metric=a');
    expect(lines.slice(0, 6)).toEqual([
      `${lead},unknown,b,a`,
      ...['x,,,1,,2,1', 'x,,,2,,,', 'x,,,3,,,', 'x,,,4,,,', 'y,,,0,,0,'],
    ]);
    expect(lines).toHaveLength(1 + 4 + 1100);
    expect((await linesOf('format=csv&layout=wide&metrics=none')).slice(0, 2)).toEqual([lead, 'x,,,1']);
  });

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

  it('have no value where one is NaN, Infinity or -Infinity as text; with types they say how many', async () => {
    const bodyOf = (...values: unknown[]) => [
      { asset_id: 'a', results: values.map((value) => ({ metrics: [metric('m', value), metric('m', 'nan')] })) },
    ];
    const [texts, nulls] = [await startWith(bodyOf('NaN', '-INFINITY', 7)), await startWith(bodyOf(null, null, 7))];
    for (const [layout, count] of [
      ['long', '5'],
      ['wide', '2'],
    ]) {
      const csv = resultsPath(`format=csv&layout=${layout}&of=rows`);
      const [one, other] = [await receive(texts, csv), await receive(nulls, csv)];
      expect(one.text).toBe(other.text);
      const { schema, numRows } = tableFromIPC(
        (await receive(texts, resultsPath(`format=arrow&layout=${layout}`))).bytes,
      );
      expect([schema.metadata.get('invalid_values'), numRows]).toEqual([count, layout === 'long' ? 6 : 3]);
    }
    for (const value of ['NaNs', '', true]) {
      const { status, text } = await receive(await startWith(bodyOf(1, value)), resultsPath('format=csv'));
      expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([502, 'UPSTREAM_INVALID_RESPONSE']);
    }
  });
});
