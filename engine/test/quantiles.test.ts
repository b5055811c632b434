import { describe, expect, it } from 'vitest';
import { open, Selection } from '../index.ts';
import { Memory } from '../memory.ts';
import { CollectedValues, type Quantiles } from '../quantiles.ts';
import { askedOf } from './ask.ts';
import { bodyOf, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';
import { expectRight } from './right.ts';

/** Quantiles: as a field of `statistics`, and of groups of values. figures.test.ts has more. */

const rowsOf = (values: readonly (number | null)[]) => values.map((m) => row('2024-01-01', { m }));
const ranks = Array.from({ length: 20 }, (_, index) => index / 19);

/** Numbers from 0 on, of which none is near its place. */
const shuffled = (count: number) => Array.from({ length: count }, (_, index) => (index * 7919) % count);

/** Values that are spread, or equal, or near, or far, or beyond the range together. */
const spreads: Readonly<Record<string, (value: number) => number>> = {
  'evenly spread': (value) => value * 7 - 3,
  'of which many are equal': (value) => value % 7,
  'that are all equal': () => 1.5,
  'in clusters': (value) => (value % 2 === 0 ? 1 + value * 1e-9 : 1e9 + value),
  'as small as possible': (value) => (value % 10) * 5e-324,
  'that are near': (value) => value * 1e-300,
  'of which two are far': (value) => (value === 0 ? -1e300 : value === 1 ? 1e300 : value),
  'beyond the range together': (value) => (value % 2 === 0 ? -Number.MAX_VALUE : Number.MAX_VALUE),
};

it.each(Object.entries(spreads))('are those of values %s', (_, spread) => {
  const selection = `quantiles(of: [${ranks}])`;
  for (const count of [1, 24, 25, 100, 4096, 4097, 16_385]) {
    const values = shuffled(count).map(spread);
    // Groups of several lengths: the more a month, the more values it has.
    const rows = values.map((m, at) => row(`2024-0${1 + Math.floor(Math.sqrt((81 * at) / count))}-01`, { m }));
    const document = `series { nodes { statistics { ${selection} } periods(every: MONTH) { metrics { ${selection} } } } }`;
    expect(expectRight(document, bodyOf(rows).toString(), [[1 << 20]], false)).toBe(0);
  }
});

describe('What is kept for quantiles', () => {
  const values = Float64Array.from(shuffled(300_000));
  const memory = new Memory();
  const kept = new CollectedValues<object>(memory);
  const groups = (...counts: number[]) =>
    [Int32Array.from(counts.keys()), Int32Array.from(counts)] as [Int32Array, Int32Array];

  it('is sorted a piece at a time, whose memory is given back, and stays until all is cleared', () => {
    const [one, other] = [{}, {}];
    for (const metric of [one, other])
      for (let at = 0; at < values.length; at += 32) kept.add(metric, values, undefined, at, at + 32);
    const steps: number[] = [];
    for (const metric of [one, other, one]) {
      const sort = () => kept.sort(metric, () => groups(values.length));
      sort();
      const before = memory.bytes;
      let count = 2;
      if (sort() && metric === one && steps.length === 0) {
        expect(before - memory.bytes).toBeGreaterThan(0);
        expect(before - memory.bytes).toBeLessThan(50_000 * 8);
      }
      while (sort()) count += 1;
      steps.push(count);
      expect((kept.quantiles as Quantiles).of(0, 1)).toBe(299_999);
    }
    // 300,000 values take 20 runs of at most 4096, and two or four times of merging.
    expect(steps[0]).toBeGreaterThan(300);
    const before = memory.bytes;
    kept.clear();
    // That of the sorter stays.
    expect(before - memory.bytes).toBe(2 * 8 * values.length);
    expect(memory.bytes).toBeLessThan(16 * 4096);
  });

  it('has no values that are missing, or in no group', () => {
    const metric = {};
    kept.add(metric, Float64Array.of(7, Number.NaN, 1, 5, 3, 9), Int32Array.of(0, 0, -1, 0, 1, 0), 1, 5);
    while (kept.sort(metric, () => groups(1, 1)));
    expect([0, 1].map((group) => (kept.quantiles as Quantiles).of(group, 0.5))).toEqual([5, 3]);
  });
});

it.each([
  ['of one metric', rowsOf(shuffled(400_000)), '[199999.5]'],
  [
    'of many',
    shuffled(200).map((value) =>
      row('2024-01-01', Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`m${index}`, value]))),
    ),
    '[99.5]',
  ],
])('pause while they are sorted, %s', (_, rows, quantiles) => {
  const reader = open(new Selection(askedOf('statistics { quantiles(of: 0.5) }')), unlimited);
  for (const piece of inPieces(bodyOf(rows), [1 << 18])) {
    reader.push(piece);
    while (reader.work());
  }
  reader.end();
  let turns = 0;
  while (reader.work()) turns += 1;
  // It takes more than 10 ms on any machine.
  expect(turns).toBeGreaterThan(4);
  expect(String(reader.values()[0])).toContain(`[{"quantiles":${quantiles}}`);
});

it('are an error of more than 5,000,000 values of all metrics, and of nothing else', () => {
  const metrics = Array.from({ length: 20 }, (_, index) => `m${index}`);
  const wide = JSON.stringify(row('2024-01-01', Object.fromEntries(metrics.map((name, index) => [name, index % 10]))));
  const rows = Buffer.from(`,${wide}`.repeat(250));
  const selection = new Selection(askedOf('statistics { count quantiles(of: [0, 1]) odd: quantiles(of: 2) }'));
  /** A thousand times 250 rows of 20 metrics, and some more values. */
  function* pieces(others: Readonly<Record<string, number>>) {
    yield Buffer.from(`{"assets":[{"asset_id":"a","results":[${JSON.stringify(row('2024-01-01', others))}`);
    for (let piece = 0; piece < 1000; piece += 1) yield rows;
    yield Buffer.from(']}]}');
  }
  const statistics = (quantiles: unknown, others = 0) =>
    metrics.map((_, index) => ({
      count: 250_000 + (index < others ? 1 : 0),
      quantiles: quantiles && [index % 10, index % 10],
      odd: null,
    }));
  const most = read(selection, pieces({}));
  expect(JSON.parse(most.values[0] as string)).toEqual(statistics(true));
  expect(most.errors).toHaveLength(20);
  const more = read(selection, pieces({ m0: 0 }));
  expect(JSON.parse(more.values[0] as string)).toEqual(statistics(null, 1));
  expect(more.errors.filter(({ kind }) => kind === 'limitExceeded').map(({ path }) => path.join('.'))).toEqual(
    metrics.map((_, index) => `statistics.${index}.quantiles`),
  );
  // Nothing is kept.
  expect(more.reader.bytes).toBeLessThan(2_000_000);
});
