import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DONE } from '../by-metric.ts';
import { Bytes } from '../bytes.ts';
import { type AskedOfResults, open, Selection } from '../index.ts';
import { writeNumbers, writeTexts } from '../lists.ts';
import { Memory } from '../memory.ts';
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

it.each([
  'byDate { metrics { quantiles(of: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) } }',
  'byDate { dates }',
  'byDate { dates metrics { sums means } }',
  'series { nodes { periods(every: DAY) { dates metrics { counts means standardDeviations } } } }',
  'series { nodes { columns(points: 20000) { valueDates metrics { values } } } }',
  'series { nodes { statistics { name first { valueDate } last { valueDate } minimum { valueDate } } } }',
])('stops within %s', (selection) => {
  const names = Array.from({ length: 1000 }, (_, index) => `the metric ${index}`);
  const wide = row('1970-01-01', Object.fromEntries(names.map((name, index) => [name, Math.sin(index)])));
  const rows = daysFrom(0, 9000).map((day, index) => row(`${day}T00:00:00.000Z`, { m: Math.sin(index) }));
  const body = bodyOf(selection.includes('statistics') ? [wide] : rows);
  const reader = open(new Selection(askedOf(selection)), unlimited);
  const parts: Buffer[] = [];
  // All rows are read before the end of their entry comes.
  reader.push(body.subarray(0, -3));
  while (reader.work());
  reader.push(body.subarray(-3));
  let turns = 0;
  for (; reader.work(); turns += 1) parts.push(...reader.take());
  reader.end();
  for (; reader.work(); turns += 1) parts.push(...reader.take());
  const bytes = Buffer.concat([...parts, ...reader.take(), ...reader.values()]).length;
  expect(bytes).toBeGreaterThan(1 << 17);
  expect(turns).toBeGreaterThan(bytes / 50_000);
});

it('writes a long list part by part', () => {
  const partsOf = (write: (out: Bytes, from: number) => number) => {
    const parts: string[] = [];
    for (let from = 0; from !== DONE; ) {
      const out = new Bytes(new Memory(), 64);
      from = write(out, from);
      parts.push(Buffer.concat(out.takeAll()).toString());
    }
    return parts;
  };
  const numbers = Array.from({ length: 5000 }, (_, index) => (index % 3 === 0 ? Number.NaN : -index / 7));
  const ofNumbers = partsOf((out, from) => writeNumbers(out, 5000, from, (index) => numbers[index] as number));
  const texts = ['é'.repeat(40_000), ...Array.from({ length: 4000 }, (_, index) => `"${index + 10_000}\\`)];
  const ofTexts = partsOf((out, from) => writeTexts(out, texts.length, from, (index) => texts[index] as string));
  expect([ofNumbers.length, ofNumbers.join('')]).toEqual([3, JSON.stringify(numbers)]);
  expect([ofTexts.length, ofTexts.join('')]).toEqual([2, JSON.stringify(texts)]);
});
