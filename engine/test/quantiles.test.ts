import { describe, expect, it } from 'vitest';
import { type Limits, open, Selection } from '../index.ts';
import { Memory } from '../memory.ts';
import { CollectedValues, type Quantiles } from '../quantiles.ts';
import { ask, askedOf, askSeries } from './ask.ts';
import { bodyOf, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';

/** Quantiles: as a field of `statistics`, and of groups of values. */

const rowsOf = (values: readonly (number | null)[]) => values.map((m) => row('2024-01-01', { m }));
const ranks = Array.from({ length: 20 }, (_, index) => index / 19);

/** Numbers from 0 on, of which none is near its place. */
const shuffled = (count: number) => Array.from({ length: count }, (_, index) => (index * 7919) % count);

it.each([
  [
    [0, 1],
    [1, 4],
  ],
  [
    [0.5, 0.5],
    [2.5, 2.5],
  ],
  [
    [1, 0.25, 0],
    [4, 1.75, 1],
  ],
  [[0.999_999], [3.999_997]],
  [[], []],
])('are those of the argument: %j', (of, expected) => {
  const selection = `statistics { quantiles(of: ${JSON.stringify(of)}) }`;
  const statistics = [{ quantiles: expected.map((value) => expect.closeTo(value, 12)) }];
  expect(ask(`${selection} series { nodes { ${selection} } }`, bodyOf(rowsOf([4, 2, 3, 1])))).toEqual({
    nodes: [{ statistics }],
    values: { statistics },
    errors: [],
  });
});

it('are those of all series together, and of each one', () => {
  const body = bodyOf(rowsOf([5, null, 1]), null, [row('2024-01-01', { n: 7 })], rowsOf([3]));
  const selection = 'statistics { name quantiles(of: [0, 0.5, 1]) }';
  const m = (...quantiles: number[]) => ({ name: 'm', quantiles });
  const n = { name: 'n', quantiles: [7, 7, 7] };
  expect(ask(`${selection} series { nodes { ${selection} } }`, body, unlimited, [3])).toEqual({
    nodes: [{ statistics: [m(1, 3, 5)] }, { statistics: null }, { statistics: [n] }, { statistics: [m(3, 3, 3)] }],
    values: { statistics: [m(1, 3, 5), n] },
    errors: [],
  });
});

it('are those of each argument, under aliases, beside other figures', () => {
  const selection = 'statistics { low: quantiles(of: [0]) count quantiles(of: 0.5) none: quantiles(of: []) mean }';
  expect(askSeries(selection, bodyOf(rowsOf([4, 2, 3, 1]))).nodes).toEqual([
    { statistics: [{ low: [1], count: 4, quantiles: [2.5], none: [], mean: 2.5 }] },
  ]);
});

it('are null without values', () => {
  const body = bodyOf([row('2024-01-01', { m: null })]);
  expect(askSeries('statistics(metrics: ["m", "x"]) { quantiles(of: [0, 1]) }', body).nodes).toEqual([
    { statistics: [{ quantiles: [null, null] }, { quantiles: [null, null] }] },
  ]);
});

it.each([
  [[-0.001], 'invalidArgument', 'A quantile must be a number from 0 to 1.'],
  [[0.5, 1.001], 'invalidArgument', 'A quantile must be a number from 0 to 1.'],
  [Array(21).fill(0.5), 'limitExceeded', 'A list of quantiles must have at most 20 entries.'],
])('have an error for the argument %j at each metric, and nothing else has', (of, kind, message) => {
  const list = JSON.stringify(of);
  const odd = [{ odd: null }, { odd: null }];
  const body = bodyOf([row('2024-01-01', { m: 1, n: 2 })], []);
  const selection = `statistics { odd: quantiles(of: ${list}) quantiles(of: 1) } odd: statistics { odd: quantiles(of: ${list}) }`;
  expect(askSeries(selection, body)).toEqual({
    nodes: [
      { statistics: odd.map((each, index) => ({ ...each, quantiles: [index + 1] })), odd },
      { statistics: [], odd: [] },
    ],
    errors: ['statistics', 'odd'].flatMap((field) =>
      [0, 1].map((index) => ({ path: [0, field, index, 'odd'], kind, message })),
    ),
  });
  const most = `statistics { quantiles(of: ${JSON.stringify(Array(20).fill(0.5))}) }`;
  expect(askSeries(most, body).errors).toEqual([]);
});

it.each([1, 24, 25, 4096, 4097, 16_384, 16_385, 70_000])('are exact of %d values', (count) => {
  const lists = [
    shuffled(count),
    // Many are equal, or near, or far, or beyond the range together.
    shuffled(count).map((value) => value % 7),
    shuffled(count).map((value) => value * 1e-300),
    shuffled(count).map((value) => (value === 0 ? -1e300 : value === 1 ? 1e300 : value)),
    shuffled(count).map((value) => (value % 2 === 0 ? -Number.MAX_VALUE : Number.MAX_VALUE)),
  ];
  const memory = new Memory();
  for (const list of lists) {
    const { of } = sorted(memory, [list]);
    const expected = list.toSorted((one, other) => one - other);
    expect([0, 1, 2].map((rank) => of(0, rank / 2))).toEqual([
      expected[0],
      count % 2 === 1 ? expected[count >> 1] : expect.anything(),
      expected.at(-1),
    ]);
    const steps = Math.min(count - 1, 1000);
    for (let step = 0; step <= steps; step += 1) {
      const rank = Math.round((step / Math.max(1, steps)) * (count - 1));
      const value = of(0, count === 1 ? 0 : rank / (count - 1)) as number;
      const low = expected[Math.max(0, rank - 1)] as number;
      const high = expected[Math.min(count - 1, rank + 1)] as number;
      expect(value >= low && value <= high, `${value} of ${list.slice(0, 9)} at rank ${rank}`).toBe(true);
    }
  }
});

/** Sorts lists of values, each a group of its own, as rows come. */
function sorted(
  memory: Memory,
  lists: readonly (readonly number[])[],
  pieces = 32,
): { of: Quantiles['of']; steps: number } {
  const kept = new CollectedValues<object>(memory);
  const metric = {};
  const longest = Math.max(...lists.map(({ length }) => length));
  const rows = Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list, group) => (at < list.length ? [{ group, value: list[at] as number }] : [])),
  ).flat();
  const values = Float64Array.from(rows, ({ value }) => value);
  const groups = lists.length > 1 ? Int32Array.from(rows, ({ group }) => group) : undefined;
  for (let at = 0; at < rows.length; at += pieces)
    kept.add(metric, values, groups, at, Math.min(at + pieces, rows.length));
  // The groups are in the opposite order.
  const positions = Int32Array.from(lists, (_, group) => lists.length - 1 - group);
  const counts = Int32Array.from(lists.toReversed(), ({ length }) => length);
  let steps = 1;
  while (kept.sort(metric, () => [positions, counts])) steps += 1;
  const quantiles = kept.quantiles as Quantiles;
  return { of: (position, quantile) => quantiles.of(lists.length - 1 - position, quantile), steps };
}

describe('of groups', () => {
  it('are those of each group, where it is placed', () => {
    const lists = [shuffled(5000), [], [3, 1, 2], shuffled(40_000).map((value) => 1 - value), [9]];
    const { of } = sorted(new Memory(), lists);
    const ends = lists.map((_, group) => [of(group, 0), of(group, 0.5), of(group, 1)]);
    expect(ends).toEqual([
      [0, 2499.5, 4999],
      [null, null, null],
      [1, 2, 3],
      [-39_998, -19_998.5, 1],
      [9, 9, 9],
    ]);
    for (const [group, list] of lists.entries())
      expect(ranks.map((rank) => of(group, rank))).toEqual(
        ranks.map((rank) => {
          const expected = list.toSorted((one, other) => one - other);
          const place = rank * (list.length - 1);
          const low = expected[Math.floor(place)];
          const high = expected[Math.ceil(place)];
          return low === undefined ? null : expect.closeTo(low + (place % 1) * ((high as number) - low), 8);
        }),
      );
  });

  it('pass over rows without a value, or in no group', () => {
    const kept = new CollectedValues<object>(new Memory());
    const metric = {};
    const values = Float64Array.of(7, Number.NaN, 1, 5, 3, 9);
    kept.add(metric, values, Int32Array.of(0, 0, -1, 0, 1, 0), 1, 5);
    while (kept.sort(metric, () => [Int32Array.of(0, 1), Int32Array.of(1, 1)]));
    const { quantiles } = kept;
    expect([0, 1].map((group) => (quantiles as Quantiles).of(group, 0.5))).toEqual([5, 3]);
  });

  it('are sorted a piece at a time', () => {
    const memory = new Memory();
    expect(sorted(memory, [shuffled(4000)]).steps).toBeLessThan(3);
    // 300,000 values take 20 runs of at most 4096, and two or four times of merging.
    expect(sorted(memory, [shuffled(300_000)]).steps).toBeGreaterThan(300);
    expect(
      sorted(
        memory,
        Array.from({ length: 3000 }, () => shuffled(100)),
      ).steps,
    ).toBeGreaterThan(60);
  });

  it('take the memory of what was kept, a piece at a time', () => {
    const memory = new Memory();
    const kept = new CollectedValues<object>(memory);
    const metric = {};
    const values = Float64Array.from(shuffled(200_000));
    for (let at = 0; at < values.length; at += 32) kept.add(metric, values, undefined, at, at + 32);
    const sort = () => kept.sort(metric, () => [Int32Array.of(0), Int32Array.of(values.length)]);
    sort();
    const before = memory.bytes;
    expect(sort()).toBe(true);
    expect(before - memory.bytes).toBeGreaterThan(0);
    expect(before - memory.bytes).toBeLessThan(50_000 * 8);
  });

  it('stay until all is cleared, and their memory is given back', () => {
    const memory = new Memory();
    const kept = new CollectedValues<object>(memory);
    const [one, other] = [{}, {}];
    const values = Float64Array.from(shuffled(20_000));
    for (const metric of [one, other]) kept.add(metric, values, undefined, 0, values.length);
    expect(memory.bytes).toBe(2 * 8 * 20_000);
    const found: unknown[] = [];
    const read = (metric: object) => {
      while (kept.sort(metric, () => [Int32Array.of(0), Int32Array.of(values.length)]));
      found.push((kept.quantiles as Quantiles).of(0, 1));
    };
    for (const metric of [one, other, one]) read(metric);
    expect(found).toEqual([19_999, 19_999, 19_999]);
    const before = memory.bytes;
    kept.clear();
    // That of the sorter stays.
    expect(memory.bytes).toBe(before - 2 * 8 * 20_000);
    expect(memory.bytes).toBeLessThan(16 * 4096);
    kept.add(one, Float64Array.of(5), undefined, 0, 1);
    const isMore = kept.sort(one, () => [Int32Array.of(0), Int32Array.of(1)]);
    expect([isMore, (kept.quantiles as Quantiles).of(0, 0.5)]).toEqual([false, 5]);
  });
});

it('need memory for each value, and are null beyond the limit', () => {
  const selection = 'statistics { name quantiles(of: 0.5) }';
  const body = bodyOf(rowsOf([1]), rowsOf(shuffled(50_000)), rowsOf([2]));
  const one = (value: number) => ({ statistics: [{ name: 'm', quantiles: [value] }] });
  expect(askSeries(selection, body, { ...unlimited, memory: 2_000_000 }, [10_000]).errors).toEqual([]);
  // They cannot be sorted, or not even be kept.
  for (const memory of [1_000_000, 400_000])
    expect(askSeries(selection, body, { ...unlimited, memory }, [10_000])).toEqual({
      nodes: [one(1), { statistics: null }, one(2)],
      errors: [{ path: [1, 'statistics'], kind: 'memoryExceeded' }],
    });
});

it('count 20 units for each value that is sorted, and none if nobody needs them', () => {
  const body = bodyOf(rowsOf(shuffled(1000)));
  const spent = (selection: string, limits: Limits = unlimited) => {
    const { list, reader } = read(askedOf(`series { nodes { ${selection} } }`), [body], limits);
    return { list, spent: reader.spent, bytes: reader.bytes };
  };
  const quantiles = spent('statistics { quantiles(of: 0.5) }');
  const mean = spent('statistics { mean }');
  expect(quantiles.spent - quantiles.list.length - (mean.spent - mean.list.length)).toBeCloseTo(20 * 1000, -2);
  const invalid = spent('statistics { quantiles(of: 2) }');
  expect(invalid.spent).toBeLessThan(2 * mean.spent);
  expect(invalid.bytes - mean.bytes).toBeLessThan(1000);
  expect(askSeries('statistics { quantiles(of: 0.5) }', body, { work: 20_900 })).toEqual({
    nodes: [{ statistics: null }],
    errors: [{ path: [0, 'statistics'], kind: 'workExceeded' }],
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
