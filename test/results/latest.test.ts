import { describe, expect, it } from 'vitest';
import { askSeries, paths, refused, row, startWith } from '../support/aggregates.ts';

const latest = 'latest { valueDate m: value(metric: "m") metrics { name } }';
const found = (valueDate: string | null, m: number | null, ...names: string[]) => ({
  latest: { valueDate, m, metrics: names.map((name) => ({ name })) },
});

describe.each(paths)('3.45 The latest row, with RESULTS_FAST_PATH=%s', (fastPath) => {
  it('is the last of those with the latest date, or the last of all if a date is no point in time', async () => {
    const bed = await startWith(fastPath, [
      [row('2024-01-02', { m: 1 }), row('2024-01-03', { m: 2 }), row('2024-01-01', { m: 3 })],
      [
        row('2024-01-01T00:00:00Z', { m: 1 }),
        row('2024-01-01', { m: 2, n: 1 }),
        row('2024-01-01T01:00:00+02:00', { m: 3 }),
      ],
      [row('2024-01-02', { m: 1 }), row('day 2', { m: 2 }), row('2024-01-01', { m: 3 })],
      [row('2024-01-02', { m: 1 }), row('2024-01-01')],
      [row(null, { m: 1 })],
      [],
      null,
    ]);
    expect(await askSeries(bed, latest)).toEqual({
      nodes: [
        found('2024-01-03', 2, 'm'),
        found('2024-01-01', 2, 'm', 'n'),
        found('2024-01-01', 3, 'm'),
        found('2024-01-02', 1, 'm'),
        found(null, 1, 'm'),
        { latest: null },
        { latest: null },
      ],
      errors: undefined,
    });
  });

  it.each([1, 511, 512, 513, 5000])('is found among %d rows before it and behind it', async (rows) => {
    const before = Array.from({ length: rows }, (_, index) => row('2024-01-01', { m: index }));
    const bed = await startWith(fastPath, [[...before, row('2024-01-02', { m: -1 }), ...before]]);
    expect((await askSeries(bed, latest)).nodes).toEqual([found('2024-01-02', -1, 'm')]);
  });

  it('has errors of its values, and of its arguments', async () => {
    const bed = await startWith(fastPath, [[row('2024-01-02', { m: 'odd' }), row('2024-01-01', { m: 1 })]]);
    const { nodes, errors } = await askSeries(bed, 'latest { valueDate value(metric: "m") }');
    expect(nodes).toEqual([{ latest: { valueDate: '2024-01-02', value: null } }]);
    expect(errors).toMatchObject([
      {
        path: ['dataset', 'results', 'series', 'nodes', 0, 'latest', 'value'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
    const names = Array(1001).fill('m');
    expect((await askSeries(bed, 'latest { metrics(names: $names) { name } }', { names })).errors).toEqual([
      refused('series.nodes.0.latest.metrics', 'A list of metric names must have at most 1000 entries.'),
    ]);
  });
});
