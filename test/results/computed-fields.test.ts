import { describe, expect, it } from 'vitest';
import { ofDataset, respondWith, start } from '../support/harness.ts';

/** A row; a metric without a value is null. */
const row = (value_date: unknown, x: unknown, y: unknown = null) => ({
  value_date,
  metrics: [
    { name: 'x', value: x },
    { name: 'y', value: y },
  ],
});

const asset = (asset_id: string, ...results: object[]) => ({ asset_id, asset_version: 1, results });

/** A subgraph of a service that has these assets. */
async function serving(...assets: object[]) {
  const bed = await start({ env: { OPERATION_PLAN: 'on' } });
  respondWith(bed.simulator, { results: { assets } });
  return bed;
}

/** The selection on each series. */
const ofSeries = (selection: string) => ofDataset(`results { series { nodes { ${selection} } } }`);

/*
 * Clause 3.45 of docs/contract.md in detail.
 * `statistics`, `latest`, `periods`, `byDate` and `columns(points:)` have the values of `columns`: of a repeated metric the
 * first, and no value where a row lacks the metric. Dates have the forms that `Result.valueDate` lists; without an offset they
 * are UTC. For a row without a date, or with one that cannot be read, `periods` is null with an error. `latest`, `first` and
 * `last` pass over a row without a date, and are null with an error for one that cannot be read. `byDate` then follows the order
 * of texts, and `columns(points:)` that of rows.
 * - A date or value of a wrong type makes the field null whose series it is in, or that of all assets. The error names the
 *   row, counted from 0 within its series.
 * - Limits of the results are REQUEST_LIMIT_EXCEEDED at the field. Invalid quantiles are BAD_USER_INPUT.
 * - `statistics` or `byDate` of results, with nothing else but ids, is computed while the response arrives (33).
 */
describe('3.45 What is computed from rows', () => {
  it('has the values of columns, by their dates in UTC', async () => {
    const rows = [row('2024-02-01T01:00:00+02:00', 3), row('2024-03-05T00:00:00', 1.5, 7), row('2024-01-02', 2.5)];
    const { query } = await serving(asset('a', ...rows));
    const { body } = await query(
      ofSeries(`
        latest { valueDate value(metric: "x") }
        statistics(metrics: ["x"]) {
          count nullCount sum mean minimum { value } maximum { value } first { value valueDate } last { value valueDate }
        }
        periods(every: MONTH, metrics: ["x", "y"]) { dates metrics { name counts sums means } }
        columns(metrics: ["x"], points: 2) { valueDates metrics { values } }`),
    );
    expect(body.errors).toBeUndefined();
    const [node] = body.data.dataset.results.series.nodes;
    expect(node).toEqual({
      latest: { valueDate: '2024-03-05T00:00:00', value: 1.5 },
      statistics: [
        {
          ...{ count: 3, nullCount: 0, sum: 7, mean: 7 / 3, minimum: { value: 1.5 }, maximum: { value: 3 } },
          first: { value: 2.5, valueDate: '2024-01-02' },
          last: { value: 1.5, valueDate: '2024-03-05T00:00:00' },
        },
      ],
      periods: {
        dates: ['2024-01-01', '2024-02-01', '2024-03-01'],
        metrics: [
          { name: 'x', counts: [2, 0, 1], sums: [5.5, null, 1.5], means: [2.75, null, 1.5] },
          { name: 'y', counts: [0, 0, 1], sums: [null, null, 7], means: [null, null, 7] },
        ],
      },
      columns: { valueDates: ['2024-01-02', '2024-03-05T00:00:00'], metrics: [{ values: [2.5, 1.5] }] },
    });
  });

  it('is there in the parts that are selected alone', async () => {
    const { query } = await serving(asset('a', row('2024-02-01', 3), row('2024-01-01', 1.5, 7)));
    const dates = ['2024-01-01', '2024-02-01'];
    const parts: [selection: string, value: object][] = [
      ['dates', { dates }],
      ['metrics { name }', { metrics: [{ name: 'x' }, { name: 'y' }] }],
      ['metrics { __typename }', { metrics: Array(2).fill({ __typename: 'MetricAggregates' }) }],
      ['__typename', { __typename: 'AggregatesByDate' }],
      ['metrics { sums }', { metrics: [{ sums: [1.5, 3] }, { sums: [7, null] }] }],
      ['metrics { deviations: standardDeviations }', { metrics: [{ deviations: [0, 0] }, { deviations: [0, null] }] }],
      ['metrics { quantiles(of: 1) }', { metrics: [{ quantiles: [[1.5, 3]] }, { quantiles: [[7, null]] }] }],
    ];
    for (const [selection, value] of parts) {
      const fields = `byDate { ${selection} } series { nodes { periods(every: MONTH) { ${selection} } } }`;
      const { body } = await query(ofDataset(`results { ${fields} }`));
      expect(body).toEqual({
        data: { dataset: { results: { byDate: value, series: { nodes: [{ periods: value }] } } } },
      });
    }
    const { body } = await query(ofDataset('results { statistics { name } q: statistics { quantiles(of: 1) } }'));
    const expected = { statistics: [{ name: 'x' }, { name: 'y' }], q: [{ quantiles: [3] }, { quantiles: [7] }] };
    expect(body).toEqual({ data: { dataset: { results: expected } } });
  });

  it('is null with an error that names the row, and other series are not affected', async () => {
    const good = row('2024-01-01', 1);
    const { query } = await serving(
      asset('a', good, row('Q1', 1)),
      asset('b', good, good, row('2024', '5')),
      asset('c', good),
    );
    const { body } = await query(
      ofSeries('periods(every: YEAR, metrics: ["x"]) { dates } statistics(metrics: ["x"]) { count }'),
    );
    const nodes = ['dataset', 'results', 'series', 'nodes'];
    const error = (message: string, ...path: unknown[]) => ({
      message: expect.stringContaining(message),
      path: [...nodes, ...path],
      extensions: expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    });
    expect(body.errors.map(({ locations: _, ...each }: { locations: unknown }) => each)).toEqual([
      error('row 1 ', 0, 'periods'),
      error('row 2 ', 1, 'periods'),
      error('row 2 ', 1, 'statistics'),
    ]);
    expect(body.data.dataset.results.series.nodes).toEqual([
      { periods: null, statistics: [{ count: 2 }] },
      { periods: null, statistics: null },
      { periods: { dates: ['2024-01-01'] }, statistics: [{ count: 1 }] },
    ]);
  });

  it.each([
    ['series { nodes { periods(every: DAY) { dates } } }', 'REQUEST_LIMIT_EXCEEDED', /10,000 periods, and 100,000/],
    [`byDate(metrics: "x") { metrics { quantiles(of: [${'0.5,'.repeat(21)}]) } }`, 'REQUEST_LIMIT_EXCEEDED', /20/],
    ['byDate(metrics: "x") { metrics { quantiles(of: [1.5]) } }', 'BAD_USER_INPUT', /from 0 to 1/],
  ])('has limits: %s', async (selection, code, message) => {
    const { query } = await serving(asset('a', row('1900-01-01', 1), row('2024-01-01', 1)));
    const { body } = await query(ofDataset(`results { ${selection} }`));
    expect(body.errors).toMatchObject([{ message: expect.stringMatching(message), extensions: { code } }]);
  });

  it('needs the response only while it arrives, if it is statistics or byDate alone', async () => {
    const { query } = await serving(asset('a', row('2024-01-01', 1)), asset('b', row('2024-01-01', 2)));
    const headers = { 'operation-plan': 'include' };
    for (const field of ['statistics { mean }', 'byDate { metrics { means } }']) {
      const { body } = await query(ofDataset(`results { processingId ${field} }`), { headers });
      expect(JSON.stringify(body.data)).toContain('1.5');
      expect(body.extensions.plan.fields.join()).toContain('all are needed once, in order');
    }
  });
});
