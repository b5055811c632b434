import { expect, it } from 'vitest';
import { askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';

/** `latest`: the row of the latest date, or all of them joined. */

const LATEST = 'latest { valueDate m: value(metric: "m") metrics { name value } }';
const found = (
  valueDate: string | null,
  m: number | null,
  ...metrics: (readonly [string | null, number | null])[]
) => ({
  latest: { valueDate, m, metrics: metrics.map(([name, value]) => ({ name, value })) },
});

it('writes what came, byte by byte', () => {
  const latest =
    '{ "value_date" : "2024-01-01T00:00:00\\u005a", "metrics":[{"value":1.50e0 ,"name":"\\u006d\\"é"}], "x": {} }';
  const body = Buffer.from(`{"assets":[{"asset_id":"a","results":[${latest},{"metrics":[]}]}]}`);
  const { list } = read(askedOf('series { nodes { latest { valueDate metrics { name value } } } }'), [body]);
  expect(list).toBe(
    '[{"latest":{"valueDate":"2024-01-01T00:00:00\\u005a","metrics":[{"name":"\\u006d\\"é","value":1.50e0}]}}]',
  );
});

it('has an error for more than 1,000 names', () => {
  const names = (count: number) => JSON.stringify(Array(count).fill('m'));
  const body = bodyOf([], [row('2024-01-01', { m: 1 })]);
  expect(askSeries(`latest { metrics(metrics: ${names(1000)}) { value } }`, body).errors).toEqual([]);
  expect(askSeries(`latest { valueDate metrics(metrics: ${names(1001)}) { value } }`, body)).toEqual({
    nodes: [{ latest: null }, { latest: { valueDate: '2024-01-01', metrics: null } }],
    errors: [
      {
        path: [1, 'latest', 'metrics'],
        kind: 'limitExceeded',
        message: 'A list of metric names must have at most 1000 entries.',
      },
    ],
  });
});

it('is joined up to the bytes of a row', () => {
  const names = Array.from({ length: 20 }, (_, index) => `metric${index + 10}`);
  const rows = names.map((name) => row('2024-01-01', { [name]: 5 }));
  const around = '{"value_date":"2024-01-01","metrics":[]}'.length;
  const part = around + names.length * '{"name":"metric10","value":5},'.length;
  const body = bodyOf(rows, [...rows, row('2024-01-02', { m: 1 })], rows);
  const joined = found('2024-01-01', null, ...names.map((name) => [name, 5] as const));
  const later = found('2024-01-02', 1, ['m', 1]);
  expect(askSeries(LATEST, body, { ...unlimited, part })).toEqual({ nodes: [joined, later, joined], errors: [] });
  const bytes = (most: number) =>
    read(askedOf(`series { nodes { ${LATEST} } }`), [body], { ...unlimited, part: most }).reader.bytes;
  // It gives up what it has kept.
  expect(bytes(part - 1) - bytes(part)).toBeLessThan(500);
  expect(askSeries(LATEST, body, { ...unlimited, part: part - 1 })).toEqual({
    nodes: [{ latest: null }, later, { latest: null }],
    errors: [0, 2].map((series) => ({ path: [series, 'latest'], kind: 'tooLarge' })),
  });
});

it('reads a row again that is longer without what is odd about it', () => {
  const metrics = `${'{},'.repeat(100)}{"name":"m","value":-0}`;
  const body = Buffer.from(
    `{"assets":[{"asset_id":"a","results":[{"value_date":"2024-01-01","metrics":[${metrics}]}]}]}`,
  );
  const selection = 'latest { m: value(metric: "m") }';
  // With names and values that are null it has more than 2000 bytes.
  expect(askSeries(selection, body, { ...unlimited, part: 400 })).toEqual({
    nodes: [{ latest: { m: 0 } }],
    errors: [],
  });
});

it('keeps one row, whatever the number of rows', () => {
  const asked = askedOf(`series { nodes { ${LATEST} } }`);
  const bytes = (rows: readonly unknown[]) => read(asked, inPieces(bodyOf(rows), [1000])).reader.bytes;
  const rowsOf = (count: number) => daysFrom(0, count).map((date) => row(date, { m: 1, n: 2 }));
  // Each date has its metrics in two rows, or all rows have one.
  const joined = (count: number) => daysFrom(0, count).flatMap((date) => [row(date, { m: 1 }), row(date, { n: 1 })]);
  const same = (count: number) => daysFrom(0, count).map((_, m) => row('2024-01-01', { m }));
  for (const each of [rowsOf, joined, same]) expect(bytes(each(5000)) - bytes(each(50))).toBeLessThan(100);
});
