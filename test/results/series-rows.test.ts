import { describe, expect, it } from 'vitest';
import { ofDataset, respondWith, start } from '../support/harness.ts';

/*
 * Clause 3.16 of docs/contract.md in detail.
 * Columns are the same `rows` in the same order. Every column has `rowCount` entries, null where a row lacks the
 * metric. If a row repeats a metric, the first counts. Columns come in the requested order; repeated names come once,
 * and unknown names are columns of nulls. Without `metrics`, the order is that of `metricNames`.
 */
describe('3.16 Columns and metrics', () => {
  const metric = (name: string | null | undefined, value?: number | null) => ({ name, value });
  const [m1, t2, m9] = [metric('m', 1), metric('t', 2), metric('m', 9)];
  /** Not in the order of their dates; metrics repeated, missing, without a name and without a value. */
  const rows = [
    { value_date: 'd3', metrics: [m1, t2, m9] },
    { value_date: 'd1' },
    { value_date: null, metrics: [metric('m', null), metric('m', 7), metric(undefined, 5), metric(null, 6)] },
    { value_date: 'd2', metrics: [metric('__proto__', 4), metric('', 8), metric('m', 0)] },
  ];

  // Each selection, with whatever else, is compared by test/oracle.
  it('have the rows and the order of the results, and the metrics in the order of their first appearance', async () => {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const series = `metricNames rowCount
      columns { rowCount valueDates metrics { name values } }
      some: columns(metrics: ["t", "nope", "t", "m"]) { metrics { name values } }
      rows(first: 1) { metrics { name value } only: metrics(metrics: ["nope", "t"]) { name } m: value(metric: "m") }
      page: rows(first: 2, offset: 2) { valueDate m: value(metric: "m") nope: value(metric: "nope") }`;
    const { body } = await bed.query(ofDataset(`asset(assetId: "a") { series { ${series} } }`));
    const m = { name: 'm', values: [1, null, null, 0] };
    const t = { name: 't', values: [2, null, null, null] };
    const [proto, empty] = ['__proto__', ''].map((name, at) => ({ name, values: [null, null, null, 4 + 4 * at] }));
    expect(body.data.dataset.asset.series).toEqual({
      metricNames: ['m', 't', '__proto__', ''],
      rowCount: 4,
      columns: { rowCount: 4, valueDates: ['d3', 'd1', null, 'd2'], metrics: [m, t, proto, empty] },
      some: { metrics: [t, { name: 'nope', values: Array(4).fill(null) }, m] },
      rows: [{ metrics: [m1, t2, m9], only: [{ name: 't' }], m: 1 }],
      page: [
        { valueDate: null, m: null, nope: null },
        { valueDate: 'd2', m: 0, nope: null },
      ],
    });
    expect(body.errors).toBeUndefined();
  });
});
