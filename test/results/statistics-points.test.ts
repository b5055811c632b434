import { describe, expect, it } from 'vitest';
import { ask, askSeries, row, startWith } from '../support/aggregates.ts';
import { ofDataset } from '../support/harness.ts';

const POINT = '{ value valueDate assetId }';
const EXTREMES = `minimum ${POINT} maximum ${POINT}`;
const ENDS = `first ${POINT} last ${POINT}`;

const point = (value: number, valueDate: string | null, assetId: string) => ({ value, valueDate, assetId });

/*
 * Clause 3.45 of docs/contract.md in detail: where a value was.
 * A point has the value, the date of its row as received, and the `assetId` of its asset, also in the statistics of one series. Of
 * equal values and of equal dates the first row received decides, and for `last` the last one.
 */
describe('3.45 The points of statistics', () => {
  it('have their asset, in one series and in all', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 5 }), row('2024-01-01T12:00:00Z', { m: 3 })],
      null,
      [row('2024-01-03', { m: 1 })],
      [row(null, { m: 9 }), row('2024-01-02', { m: 4 })],
    ]);
    const of = (first: object, last: object, minimum: object, maximum: object) => ({
      statistics: [{ first, last, minimum, maximum }],
    });
    const [a0, a1] = [point(3, '2024-01-01T12:00:00Z', 'a0'), point(5, '2024-01-02', 'a0')];
    const a2 = point(1, '2024-01-03', 'a2');
    const [a3, undated] = [point(4, '2024-01-02', 'a3'), point(9, null, 'a3')];
    expect(
      await ask(bed, `statistics { ${ENDS} ${EXTREMES} } series { nodes { statistics { ${ENDS} ${EXTREMES} } } }`),
    ).toEqual({
      data: {
        ...of(a0, a2, a2, undated),
        series: { nodes: [of(a0, a1, a0, a1), { statistics: null }, of(a2, a2, a2, a2), of(a3, a3, a3, undated)] },
      },
      errors: undefined,
    });
  });

  it('have the asset of a series that is asked for by itself, with all entries of its version', async () => {
    const asset = (assetId: string, version: number, date: string, m: number) => ({
      asset_id: assetId,
      asset_version: version,
      results: [row(date, { m })],
    });
    const assets = [asset('b', 2, '2024-01-02', 7), asset('b', 1, '2024-01-05', 0), asset('b', 2, '2024-01-01', 8)];
    const bed = await startWith(JSON.stringify({ assets }));
    const { body } = await bed.query(
      ofDataset(`asset(assetId: "b") { series { statistics { ${ENDS} ${EXTREMES} } } }`),
    );
    const [one, other] = [point(8, '2024-01-01', 'b'), point(7, '2024-01-02', 'b')];
    expect(body).toEqual({
      data: {
        dataset: { asset: { series: { statistics: [{ first: one, last: other, minimum: other, maximum: one }] } } },
      },
    });
  });

  it('are the ones received first, of equal values', async () => {
    // Rows are read in batches of some hundreds.
    const values = Array.from({ length: 1300 }, (_, at) => (at % 300 === 199 ? 5 : at % 300 === 100 ? -5 : at % 3));
    const rows = (from: number) => values.map((m, at) => row(`day ${from + at}`, { m }));
    const bed = await startWith([[row('none', {})], rows(0), rows(2000)]);
    const extremes = (from: number, assetId: string) => ({
      minimum: point(-5, `day ${from + 100}`, assetId),
      maximum: point(5, `day ${from + 199}`, assetId),
    });
    expect(await ask(bed, `statistics { ${EXTREMES} }`)).toEqual({
      data: { statistics: [extremes(0, 'a1')] },
      errors: undefined,
    });
    expect((await askSeries(bed, `statistics { ${EXTREMES} }`)).nodes).toEqual([
      { statistics: [] },
      { statistics: [extremes(0, 'a1')] },
      { statistics: [extremes(2000, 'a2')] },
    ]);
  });

  it('are the first row received and the last one, of equal dates', async () => {
    const same = ['2024-01-01', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00'];
    const rows = (from: number) =>
      Array.from({ length: 1300 }, (_, at) => row(same[at % 3], { m: at === 0 || at === 1299 ? null : from + at }));
    const bed = await startWith([rows(0), rows(10_000)]);
    const ends = (from: number, until: number) => ({
      first: point(from + 1, '2024-01-01T00:00:00Z', from === 0 ? 'a0' : 'a1'),
      last: point(until + 1298, '2024-01-01T01:00:00+01:00', until === 0 ? 'a0' : 'a1'),
    });
    expect((await ask(bed, `statistics { ${ENDS} }`)).data).toEqual({ statistics: [ends(0, 10_000)] });
    expect((await askSeries(bed, `statistics { ${ENDS} }`)).nodes).toEqual([
      { statistics: [ends(0, 0)] },
      { statistics: [ends(10_000, 10_000)] },
    ]);
  });

  it('have the fields that are selected, under aliases', async () => {
    const bed = await startWith([[row('2024-01-01', { m: 1 })]]);
    const { nodes } = await askSeries(
      bed,
      'statistics { where: maximum { assetId } maximum { is: value __typename } first { valueDate } maximum { valueDate } }',
    );
    const maximum = { is: 1, __typename: 'MetricPoint', valueDate: '2024-01-01' };
    expect(nodes).toEqual([
      { statistics: [{ where: { assetId: 'a0' }, maximum, first: { valueDate: '2024-01-01' } }] },
    ]);
  });
});
