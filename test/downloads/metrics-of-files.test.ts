import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const lead = 'asset_id,asset_name,asset_version,value_date';

/** Rows of different forms; the last asset has more than are kept. */
const metric = (name: string | null, value: number | null) => ({ name, value });
const manyForms = Array.from({ length: 1100 }, (_, index) => ({
  value_date: `${index}`,
  metrics: [metric(`other${index}`, index), ...(index % 550 === 0 ? [metric('b', index)] : [])],
}));
const body = JSON.stringify({
  assets: [
    {
      asset_id: 'x',
      results: [
        { value_date: '1', metrics: [metric('a', 1), metric('b', 2), metric('c', 3), metric('b', 4)] },
        { value_date: '2', metrics: [metric('c', 5), metric(null, 6)] },
        { value_date: '3', metrics: [metric('b', null)] },
        { value_date: '4', metrics: [] },
      ],
    },
    { asset_id: 'y', results: manyForms },
  ],
});

async function text(query: string): Promise<string[]> {
  const bed = await start({ env: { LOG_LEVEL: 'silent' } });
  bed.simulator.intercept(() => ({ body }));
  const file = await receive(bed, resultsPath(query));
  expect([file.status, file.isComplete]).toEqual([200, true]);
  return file.text.split('\r\n').slice(0, -1);
}

describe('3.43 Results as files of some metrics', () => {
  it('have only rows of these metrics if they are long', async () => {
    expect(await text('format=csv&metric=b&metric=unknown')).toEqual([
      `${lead},metric,value`,
      ...['x,,,1,b,2', 'x,,,1,b,4', 'x,,,3,b,', 'y,,,0,b,0', 'y,,,550,b,550'],
    ]);
    expect(await text('format=csv&metrics=none')).toEqual([`${lead},metric,value`]);
  });

  it('have columns of exactly these metrics, in their order, if they are wide', async () => {
    const lines = await text('format=csv&layout=wide&metric=unknown&metric=b&metric=a');
    expect(lines.slice(0, 6)).toEqual([
      `${lead},unknown,b,a`,
      ...['x,,,1,,2,1', 'x,,,2,,,', 'x,,,3,,,', 'x,,,4,,,', 'y,,,0,,0,'],
    ]);
    expect(lines).toHaveLength(1 + 4 + 1100);
    expect((await text('format=csv&layout=wide&metrics=none')).slice(0, 2)).toEqual([lead, 'x,,,1']);
  });

  it('are the same in all formats', async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
    const { tableFromIPC } = await import('apache-arrow');
    for (const layout of ['long', 'wide']) {
      const query = `layout=${layout}&metric=b&metric=a`;
      const ndjson = await receive(bed, resultsPath(`format=ndjson&${query}`));
      const arrow = await receive(bed, resultsPath(`format=arrow&${query}`));
      const rows = ndjson.text.split('\n').slice(0, -1);
      const table = tableFromIPC(arrow.bytes);
      expect(table.toArray().map((each) => each.toJSON())).toEqual(rows.map((line) => JSON.parse(line)));
    }
  });

  it('are written while the results arrive, also if they are wide', async () => {
    const assets = Array.from({ length: 30 }, (_, index) => ({
      asset_id: `a${index}`,
      results: Array.from({ length: 2000 }, (_, day) => ({ value_date: `${day}`, metrics: [metric('m', day)] })),
    }));
    const all = JSON.stringify({ assets });
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(Math.ceil(all.length / 5)) } });
    bed.simulator.intercept(() => ({ body: all }));
    const file = await receive(bed, resultsPath('format=csv&layout=wide&metric=m'));
    expect([file.isComplete, file.text.split('\r\n').length]).toEqual([true, 30 * 2000 + 2]);
  });
});
