import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AskedOfResults } from '../index.ts';
import { bodyOf, row } from './bodies.ts';
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
