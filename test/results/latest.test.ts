import { describe, expect, it } from 'vitest';
import { askSeries, invalid, refused, row, startWith } from '../support/aggregates.ts';

const latest = 'latest { valueDate m: value(metric: "m") metrics { name } }';
const found = (valueDate: string | null, m: number | null, ...names: string[]) => ({
  latest: { valueDate, m, metrics: names.map((name) => ({ name })) },
});

/*
 * Clause 3.45 of docs/contract.md in detail: the latest row.
 * - It has the latest date. A row without a date is passed over; if none has a date, it is the last one.
 * - Several rows of that instant are joined: the date and the metrics of the first one, and the metrics of the others whose name no
 *   earlier row has. A metric without a value takes the first one of a later row, at its place. Metrics without a name stay.
 * - A value of a wrong type is a value, with its error. If the list of metrics of one of these rows has a wrong type, so has that of the
 *   latest row.
 * - If a date cannot be read, it is null with an error that names the row.
 */
describe('3.45 The latest row', () => {
  it('has the latest date, or is the last row if none has a date', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 1 }), row('2024-01-03', { m: 2 }), row('2024-01-01', { m: 3 })],
      [row('2024-01-02', { m: 1 }), row('2024-01-01')],
      [row(null, { m: 1 }), row('2024-01-01', { m: 2 }), { metrics: [{ name: 'm', value: 3 }] }],
      [row(null, { m: 1 }), { metrics: [{ name: 'm', value: 2 }] }],
      [],
      null,
    ]);
    expect(await askSeries(bed, latest)).toEqual({
      nodes: [
        found('2024-01-03', 2, 'm'),
        found('2024-01-02', 1, 'm'),
        found('2024-01-01', 2, 'm'),
        found(null, 2, 'm'),
        { latest: null },
        { latest: null },
      ],
      errors: undefined,
    });
  });

  it.each([
    ['day 2', 'has a date that cannot be read'],
    ['', 'has a date that cannot be read'],
    ['2024-02-30', 'has a date that cannot be read'],
    [20240101, 'has a date of a wrong type'],
  ])('is null if a date cannot be read: %j', async (date, problem) => {
    const rows = [row('2024-01-02', { m: 1 }), row(null), row(date, { m: 2 }), row(date)];
    const bed = await startWith([[], rows]);
    expect(await askSeries(bed, latest)).toEqual({
      nodes: [{ latest: null }, { latest: null }],
      errors: [invalid('series.nodes.1.latest', `row 2 ${problem}`)],
    });
  });

  it('joins the metrics of all rows of that date', async () => {
    const metric = (name: unknown, value?: unknown) => ({ name, value });
    const bed = await startWith([
      [
        row('2024-01-01T00:00:00Z', { m: 1 }),
        row('2024-01-01', { m: 2, n: 3 }),
        row('2024-01-01T01:00:00+02:00', { m: 4, o: 5 }),
        row('2024-01-01T02:00:00+02:00', { p: 6 }),
      ],
      [
        {
          value_date: '2024-01-01',
          metrics: [metric('n', null), metric(null, 1), metric('m'), metric('n', 2), metric('x', 3)],
        },
        { value_date: '2024-01-01', metrics: null },
        {
          value_date: '2024-01-01',
          metrics: [metric('m', null), metric('y', 4), metric('n', 5), metric(null, 6), metric('y', 7)],
        },
        { value_date: '2024-01-01', metrics: [metric('m', 8), metric('x', 9), metric('n', 10)] },
      ],
      [{ value_date: '2024-01-01' }, { value_date: '2024-01-01', metrics: null }],
      [
        { value_date: '2024-01-01', metrics: [] },
        { value_date: '2024-01-01', metrics: null },
      ],
    ]);
    const { nodes, errors } = await askSeries(
      bed,
      'latest { valueDate n: value(metric: "n") metrics { name value } chosen: metrics(metrics: ["p", "y"]) { value } }',
    );
    expect(errors).toBeUndefined();
    expect(nodes).toEqual([
      {
        latest: {
          valueDate: '2024-01-01T00:00:00Z',
          n: 3,
          metrics: [metric('m', 1), metric('n', 3), metric('p', 6)],
          chosen: [{ value: 6 }],
        },
      },
      {
        latest: {
          valueDate: '2024-01-01',
          n: 5,
          metrics: [
            metric('n', 5),
            metric(null, 1),
            metric('m', 8),
            metric('n', 2),
            metric('x', 3),
            metric('y', 4),
            metric(null, 6),
            metric('y', 7),
          ],
          chosen: [{ value: 4 }, { value: 7 }],
        },
      },
      { latest: { valueDate: '2024-01-01', n: null, metrics: null, chosen: null } },
      { latest: { valueDate: '2024-01-01', n: null, metrics: [], chosen: [] } },
    ]);
  });

  it('has errors of the values that it joins', async () => {
    const bed = await startWith([
      [
        row('2024-01-01', { m: 'odd', n: null }),
        row('2024-01-01', { m: 1, n: 'odd', o: 2 }),
        row('2024-01-01', { n: 3 }),
      ],
      [row('2024-01-01', { m: 1 }), { value_date: '2024-01-01', metrics: 'odd' }],
    ]);
    const { nodes, errors } = await askSeries(bed, 'latest { m: value(metric: "m") metrics { name value } }');
    expect(nodes).toEqual([
      {
        latest: {
          m: null,
          metrics: [
            { name: 'm', value: null },
            { name: 'n', value: null },
            { name: 'o', value: 2 },
          ],
        },
      },
      { latest: { m: null, metrics: null } },
    ]);
    expect((errors as { path: unknown[] }[]).map(({ path }) => path.slice(4).join('.')).toSorted()).toEqual([
      '0.latest.m',
      '0.latest.metrics.0.value',
      '0.latest.metrics.1.value',
      '1.latest.m',
      '1.latest.metrics',
    ]);
  });

  it.each([2, 512, 513, 5000])('is joined of %d rows, among as many others', async (rows) => {
    const others = Array.from({ length: rows }, (_, index) => row('2024-01-01', { m: index }));
    const joined = Array.from({ length: rows }, (_, index) => row('2024-01-02', { [`m${index % 300}`]: index }));
    const all = joined.flatMap((each, index) => [each, others[index] as (typeof others)[number]]);
    const bed = await startWith([all]);
    const metrics = Array.from({ length: Math.min(rows, 300) }, (_, value) => ({ name: `m${value}`, value }));
    expect((await askSeries(bed, 'latest { metrics { name value } }')).nodes).toEqual([{ latest: { metrics } }]);
  });

  it.each([1, 511, 512, 513, 5000])('is found among %d rows before it and behind it', async (rows) => {
    const before = Array.from({ length: rows }, (_, index) => row('2024-01-01', { m: index }));
    const bed = await startWith([[...before, row('2024-01-02', { m: -1 }), ...before]]);
    expect((await askSeries(bed, latest)).nodes).toEqual([found('2024-01-02', -1, 'm')]);
  });

  it('has errors of its values, and of its arguments', async () => {
    const bed = await startWith([[row('2024-01-02', { m: 'odd' }), row('2024-01-01', { m: 1 })]]);
    const { nodes, errors } = await askSeries(bed, 'latest { valueDate value(metric: "m") }');
    expect(nodes).toEqual([{ latest: { valueDate: '2024-01-02', value: null } }]);
    expect(errors).toMatchObject([
      {
        path: ['dataset', 'results', 'series', 'nodes', 0, 'latest', 'value'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
    const names = Array(1001).fill('m');
    expect((await askSeries(bed, 'latest { metrics(metrics: $names) { name } }', { names })).errors).toEqual([
      refused('series.nodes.0.latest.metrics', 'A list of metric names must have at most 1000 entries.'),
    ]);
  });
});
