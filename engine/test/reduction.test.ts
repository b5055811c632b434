import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { datasetSeeds, randomService } from '../../test/oracle/random-service.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { METRIC_NAMES } from '../../test/support/results-selections.ts';
import { type Limits, open, Selection } from '../index.ts';
import { askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';
import { compare, expectRight, ID, type Question, questionOf } from './right.ts';

/** `columns(points:)`: which rows are chosen, and what of them is written. */

const ALL = 'rowCount valueDates metrics { name values }';

/** A day each with a value of the metric `m`. */
const days = (values: readonly unknown[]) =>
  daysFrom(19_723, values.length).map((date, at) => row(date, { m: values[at] }));

interface Columns {
  readonly valueDates: readonly string[];
  readonly metrics: readonly { readonly values: readonly unknown[] }[];
}

function columnsOf(series: readonly unknown[], args: string, limits: Limits = unlimited) {
  const { nodes, errors } = askSeries(`columns(${args}) { ${ALL} }`, bodyOf(series), limits);
  const [{ columns }] = nodes as [{ columns: Columns }];
  return { ...columns, errors: errors.map(({ path = [], kind }) => `${path.join('.')} ${kind}`) };
}

const wave = Array.from({ length: 100 }, (_, index) => (index === 41 ? 9 : index === 57 ? -9 : index % 3));

describe('columns(points:)', () => {
  it('write the bytes of values, and whatever is selected of them', () => {
    const text =
      '{"assets":[{"asset_id":"a","results":[{"value_date":"2024\\u002d01-02","metrics":[{"name":"m","value":1.50}]}';
    const body = Buffer.from(`${text},{"value_date":"2024-01-01","metrics":[{"name":"m","value":1E2}]}]}]}`);
    const select =
      '__typename dates: valueDates valueDates metrics { a: values b: values } empty: metrics { name @skip(if: true) }';
    const { list } = read(askedOf(`series { nodes { c: columns(points: 2) { ${select} } } }`), [body]);
    const dates = '["2024-01-01","2024\\u002d01-02"]';
    expect(list).toBe(
      `[{"c":{"__typename":"SeriesColumns","dates":${dates},"valueDates":${dates},"metrics":[{"a":[1E2,1.50],"b":[1E2,1.50]}],"empty":[{}]}}]`,
    );
  });

  it('are of groups of exactly equal time, whatever the time', () => {
    // The time of the last row of the last but one of 100 groups, of which doubles would have it in the last one.
    const span = 300_000_000_000_099;
    const times = Array.from({ length: 300 }, (_, index) => Math.floor(((index / 3) * span) / 100) + 1);
    times.splice(296, 1, (99 * span - 1) / 100);
    times.splice(0, 1, 0);
    times.splice(299, 1, span);
    const first = Date.parse('0000-01-01T00:00:00Z');
    const body = bodyOf(times.map((time) => row(new Date(first + time).toISOString())));
    expect(expectRight('series { nodes { columns(points: 200) { valueDates } } }', body.toString())).toBe(0);
  });

  it('have a row that is too large as one without date and values', () => {
    const rows = [...days([3, 1]).toReversed(), row(`2024-01-01${' '.repeat(200)}`, { m: 5 })];
    expect(columnsOf(rows, 'points: 3', { ...unlimited, part: 200 })).toMatchObject({
      ...{ valueDates: ['2024-01-02', '2024-01-01', null], metrics: [{ values: [1, 3, null] }] },
      errors: ['0.columns.valueDates.2 tooLarge', '0.columns.metrics.0.values.2 tooLarge'],
    });
  });
});

describe('columns(points:) of many rows', () => {
  const count = 20_000;
  /** Rows in no order, two of each date, with gaps that are near and far, and metrics that come late or seldom. */
  const rows = Array.from({ length: count }, (_, index) => {
    const time = (((index * 7919) % count) >> 1) * 2000;
    return row(new Date(time).toISOString(), {
      m: Math.floor(time / 37_000) % 5 > 0 ? Math.round(Math.sin(time / 1e6) * 1e6) / 1e3 : null,
      ...(index % 100 === 99 && { seldom: index % 1300 }),
      ...(index > count / 2 && { late: (index * 31) % 1009 }),
    });
  });
  const columns = (points: number) =>
    `series { nodes { columns(metrics: ["m", "seldom", "late", "nothing"], points: ${points}) { ${ALL} } } }`;
  const check = (series: readonly unknown[], points: number) =>
    expectRight(columns(points), bodyOf(series, days([1, 2])).toString(), [[1 << 20]], false);

  it('are the rows that the schema describes, or all of them by date', () => {
    for (const points of [10, 400, count]) expect(check(rows, points)).toBe(0);
  });

  it('have errors at their places', () => {
    const odd = rows.slice(0, 900).map((each, index) => (index % 2 === 1 ? { ...each, value_date: [] } : each));
    expect(check(odd, 5)).toBeGreaterThan(1);
    expect(
      check(
        rows.map((each, index) => (index % 2000 === 5 ? { ...each, metrics: 5 } : each)),
        count,
      ),
    ).toBeGreaterThan(9);
  });

  it('have the first row, the last one and the gap of each of thousands of groups', () => {
    const [groups, rowsPerGroup] = [4200, 14];
    const ascending = Array.from({ length: groups * rowsPerGroup + 1 }, (_, index) =>
      row(new Date(index * 1000).toISOString(), { m: index % rowsPerGroup === 5 ? null : index }),
    );
    const { valueDates } = columnsOf(ascending, `points: ${4 * groups}`);
    const chosen = valueDates.map((date) => Date.parse(date) / 1000);
    expect(chosen).toEqual([...new Set(chosen)].toSorted((one, other) => one - other));
    expect(chosen).toHaveLength(4 * groups);
    const ofEach = [0, 5, 13].map((at) => chosen.filter((index) => index % rowsPerGroup === at).length);
    // The last group has one row more, which is its last.
    expect(ofEach.map((number) => number >= groups)).toEqual([true, true, false]);
    expect(ofEach[2]).toBeGreaterThanOrEqual(groups - 1);
  });

  it('are chosen in turns', () => {
    const body = bodyOf(rows);
    const reader = open(new Selection(askedOf(columns(10))), unlimited);
    reader.push(body.subarray(0, -3));
    while (reader.work());
    reader.push(body.subarray(-3));
    // All rows are read.
    let turns = 0;
    for (; reader.work(); turns += 1) expect(Buffer.concat(reader.take()).length).toBeLessThanOrEqual(1);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('columns(points:) beyond the limits', () => {
  const ascending = days(wave);
  const spent = (args: string, ...series: (readonly unknown[])[]) =>
    read(askedOf(`series { nodes { columns(${args}) { ${ALL} } } }`), [bodyOf(...series)]).reader.spent;

  it('are null: of work', () => {
    const work = spent('points: 10', ascending, days([1]));
    const within = (most: number) =>
      askSeries(`columns(points: 10) { ${ALL} }`, bodyOf(ascending, days([1])), { work: most });
    expect(within(work).errors).toEqual([]);
    expect(within(work - '}'.length - 1)).toMatchObject({
      nodes: [{ columns: {} }, { columns: null }],
      errors: [{ path: [1, 'columns'], kind: 'workExceeded' }],
    });
  });

  it('count what is sorted, and nothing for rows that have their order', () => {
    const descending = ascending.toReversed();
    const [up, down] = [spent('points: 100', ascending), spent('points: 100', descending)];
    expect(down - up).toBe(20 * 100);
    expect(spent('points: 100', descending, ascending)).toBe(down + up);
  });

  it('count the values that are computed with, once more than their bytes, and none of names that do not occur', () => {
    const many = days(Array.from({ length: 5000 }, (_, index) => index));
    const on = (...metrics: string[]) => spent(`metrics: ${JSON.stringify(metrics)}, points: 10`, many);
    const others = Array.from({ length: 100 }, (_, index) => `other${index}`);
    expect(on('m') - on()).toBeGreaterThan(2 * 5000);
    expect(on('m', ...others) - on('m')).toBeLessThan(100 * 5000);
  });

  it('are null: of memory for their order, of which no more is held than is used', () => {
    const many = bodyOf(days(Array(5000).fill(1)));
    const errorsWithin = (memory: number, args: string) =>
      askSeries(`columns(metrics: [] ${args}) { rowCount }`, many, { ...unlimited, memory }, [1 << 13]).errors;
    expect(errorsWithin(1 << 16, '')).toEqual([]);
    expect(errorsWithin(1 << 16, 'points: 10')).toMatchObject([{ kind: 'memoryExceeded' }]);
    // Times, their nanoseconds, the ends of groups and what is chosen: 17 bytes a row, with room for up to twice as many.
    expect(errorsWithin(200_000, 'points: 10')).toEqual([]);
  });
});

it('The errors of columns take memory until the next entry begins', () => {
  const wrong = (count: number) => days(Array(count).fill('x'));
  const errorsOf = (...series: (readonly unknown[])[]) => {
    const asked = askedOf(`series { nodes { columns { ${ALL} } } }`);
    const { list } = read(asked, inPieces(bodyOf(...series), [1 << 13]), { ...unlimited, memory: 3 << 17 });
    return JSON.parse(list).map(({ columns }: { columns: unknown }) => columns === null);
  };
  expect(errorsOf(...Array(50).fill(wrong(200)))).toEqual(Array(50).fill(false));
  expect(errorsOf(wrong(10_000))).toEqual([true]);
});

const rowCounts = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.nat(150) },
  { weight: 1, arbitrary: fc.integer({ min: 510, max: 700 }) },
);

/** Columns of fewer rows of series with many rows, near dates and gaps. */
const reductions = fc.record({
  names: fc.option(fc.uniqueArray(fc.constantFrom(...METRIC_NAMES, 'nothing'), { maxLength: 4 })),
  points: fc.oneof(fc.nat(4), fc.nat(30), fc.nat(100), fc.nat(700)),
  seed: fc
    .constantFrom(2, Number.POSITIVE_INFINITY)
    .chain((sparse) =>
      datasetSeeds({ rows: rowCounts, odd: Number.POSITIVE_INFINITY, oddDates: 12, nearDates: 4, sparse }),
    ),
  lengths: fc.oneof(
    fc.constant([1 << 18]),
    fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 3 }),
  ),
});

const reduced = parse(`query ($id: ID!, $names: [String!], $points: Int) { dataset(id: $id) { results { series { nodes {
  columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }
} } } } }`);

it('columns(points:) of random series are the rows that the schema describes', {
  tags: ['random'],
  timeout: 600_000,
}, () => {
  let count = 0;
  fc.assert(
    fc.property(reductions, ({ names, points, seed, lengths }) => {
      const { body } = randomService(new Map([[ID, seed]])).results(ID, {});
      const errors = compare(questionOf(reduced, { id: ID, names, points }) as Question, body, [lengths], false);
      fc.pre(errors === 0);
      if (seed.entries.some((entry) => entry.rows > points)) count += 1;
    }),
    { numRuns: randomCases(4000) },
  );
  expect(count).toBeGreaterThan(0);
});
