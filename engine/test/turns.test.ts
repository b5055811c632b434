import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Asked, AskedOfResults } from '../index.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read } from './read.ts';

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
  const leaf = (field: string): Asked => ({ key: field, field });
  const lists = ['name', 'counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'].map(leaf);
  const quantiles = { key: 'quantiles', field: 'quantiles', args: { of: [0, 0.1, 0.5] } };
  const select = [leaf('dates'), { key: 'metrics', field: 'metrics', select: [...lists, quantiles] }];
  const asked = {
    entries: [{ key: 'days', field: 'periods', args: { every: 'DAY' }, select }],
    all: [{ key: 'byDate', field: 'byDate', args: {}, select }],
  };
  const rows = daysFrom(0, 3000).map((day, m) => row(day, { m, [`${m % 2}`]: -m }));
  const body = bodyOf(rows, rows.toReversed());
  const parts = written(asked, body, [body.length]);
  expect(written(asked, body, [40_000, 3])).toEqual(parts);
  vi.restoreAllMocks();
  expect(written(asked, body, [body.length])).toEqual(parts);
  expect(parts.errors).toEqual([]);
});
