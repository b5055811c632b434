import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AskedOfResults, open, Selection } from '../index.ts';
import { askedOf } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';

/** A reader works for a while, and goes on where it was. Here each turn ends as soon as the clock is read. */

beforeEach(() => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10;
    return now;
  });
});

afterEach(() => void vi.restoreAllMocks());

function written(asked: AskedOfResults, body: Buffer, lengths: readonly number[]) {
  const { list, values, errors } = read(asked, inPieces(body, lengths));
  return { list, values, errors };
}

it('is done where a turn ends behind the last value', () => {
  const names = Array.from({ length: 40 }, (_, index) => `${index}${'x'.repeat(1000)}`);
  const body = bodyOf(names.map((name) => row('2024', { [name]: 1 })));
  const all = [{ key: 'names', field: 'metricNames' }];
  expect(written({ all }, body, [body.length])).toEqual({ list: '', values: [JSON.stringify(names)], errors: [] });
});

it('writes the same wherever it stops', () => {
  const select = `dates metrics {
    name counts sums means minimums maximums standardDeviations quantiles(of: [0, 0.1, 0.5])
  }`;
  const asked = askedOf(`series { nodes { periods(every: DAY) { ${select} } } } byDate { ${select} }`);
  const rows = daysFrom(0, 3000).map((day, m) => row(day, { m, [`${m % 2}`]: -m }));
  const body = bodyOf(rows, rows.toReversed());
  const parts = written(asked, body, [body.length]);
  expect(written(asked, body, [40_000, 3])).toEqual(parts);
  vi.restoreAllMocks();
  expect(written(asked, body, [body.length])).toEqual(parts);
  expect(parts.errors).toEqual([]);
});

it('stops within the quantiles of a metric', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => index / 20);
  const asked = askedOf(`byDate { metrics { quantiles(of: [${twenty}]) } }`);
  const reader = open(new Selection(asked), unlimited);
  reader.push(bodyOf(daysFrom(0, 2000).map((day, index) => row(day, { m: Math.sin(index) }))));
  while (reader.work());
  reader.end();
  let turns = 1;
  while (reader.work()) turns += 1;
  expect(turns).toBeGreaterThan((reader.values()[0]?.length ?? 0) / 2 ** 16);
});
