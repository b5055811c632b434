import { describe, expect, it } from 'vitest';
import { ask, days, LISTS, row, startWith } from '../support/aggregates.ts';
import { ofDataset } from '../support/harness.ts';

/*
 * Clause 3.45 of docs/contract.md in detail.
 * `statistics`, `latest`, `periods`, `byDate` and `columns(points:)` have the values of `columns`: of a repeated metric the
 * first, and no value where a row lacks the metric. Dates have the forms that `Result.valueDate` lists; without an offset they
 * are UTC. The tests of engine/ have each form, order and limit, and those of test/oracle compare random results.
 * - `statistics`: a metric without a name has none. `nullCount` counts all rows without a value, also those of other assets. A point
 *   has the value, the date of its row as received, and the `assetId` of its asset. Of equal values and of equal dates the first row
 *   received decides, and for `last` the last one. `first` and `last` are by time; a row without a date is passed over, unless none
 *   has one: then the order of the rows decides.
 * - `byDate`: a date is one point in time, with the text that was received first. Rows without a date are left out. If one date
 *   cannot be read, all are in the order of their texts.
 * - `periods`: a period is one of the Gregorian calendar in UTC. Every period from that of the first date to that of the last is there;
 *   one without a value has the count 0, and nulls. The start of a period before the year 0 or after 9999 is as in ECMAScript, such as
 *   "-000001-12-27".
 * - `latest`: the latest date; a row without a date is passed over, and if none has a date, it is the last row. Several rows of that
 *   instant are joined: the date and the metrics of the first one, and the metrics of the others whose name no earlier row has. A
 *   metric without a value takes the first one of a later row, at its place. Metrics without a name stay. A value of a wrong type is a
 *   value, with its error.
 * - `quantiles` are exact: linear between ranks, type 7. Those of the argument are in its order, also repeated ones. By date and by
 *   period there is a list for each quantile, with an entry for each date.
 * - `columns(points:)`: rows of the series, in the order of their dates: exactly `points`; all, if there are no more. The first row and
 *   the last come first, then the lowest and the highest value of each metric, then its first and its last value, and then a row of its
 *   longest gap. Then come the rows of the groups.
 * - A sum may leave the range of doubles and come back, in any order of the values, and is null if it is beyond the range itself. A mean
 *   and a standard deviation never leave it: they are null only without values.
 * - Jackson, for one, writes a double that is NaN as the text "NaN". The texts NaN, Infinity and -Infinity in any case, and no others,
 *   are missing values in whatever is computed. `rows`, `columns` and `latest` have null with an error there, as for any value of a
 *   wrong type.
 * - `statistics` or `byDate` of results, with nothing else but ids, is computed while the response arrives (33).
 */
describe('3.45 What is computed from rows', () => {
  it('is values by date of all assets, in one call', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 4 }), row('2024-01-01T00:00:00Z', { m: 1, n: 7 })],
      null,
      [row('2024-01-01', { m: 3 }), row('2024-01-02', { m: 2 }), row(null, { m: 99 }), row('2024-01-03', { n: null })],
      [row('2024-01-01T01:00:00+01:00', { m: 8 })],
    ]);
    const one = (value: number) => [value, null, null];
    const figures = Object.fromEntries(['sums', 'means', 'minimums', 'maximums'].map((name) => [name, one(7)]));
    const m = {
      ...{ name: 'm', counts: [3, 2, 0], sums: [12, 6, null], means: [4, 3, null] },
      ...{ minimums: [1, 2, null], maximums: [8, 4, null] },
      standardDeviations: [expect.closeTo(Math.sqrt(26 / 3), 14), 1, null],
      quantiles: [
        [1.4, 2.2, null],
        [7, 3.8, null],
      ],
    };
    const n = { name: 'n', counts: [1, 0, 0], ...figures, standardDeviations: one(0), quantiles: [one(7), one(7)] };
    expect(await ask(bed, `byDate { dates metrics { ${LISTS} quantiles(of: [0.1, 0.9]) } }`)).toEqual({
      data: { byDate: { dates: ['2024-01-01T00:00:00Z', '2024-01-02', '2024-01-03'], metrics: [m, n] } },
      errors: undefined,
    });
  });

  it('needs the response only while it arrives, if it is statistics or byDate alone', async () => {
    const bed = await startWith([days('2024-01-01', [1]), days('2024-01-01', [2])], { OPERATION_PLAN: 'on' });
    for (const field of ['statistics { mean }', 'byDate { metrics { means } }']) {
      const { body } = await bed.query(ofDataset(`results { processingId ${field} }`), {
        headers: { 'operation-plan': 'include' },
      });
      expect(JSON.stringify(body.data)).toContain('1.5');
      expect(body.extensions.plan.fields.join()).toContain('all are needed once, in order');
    }
  });
});
