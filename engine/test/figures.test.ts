import { type FieldNode, Kind, type OperationDefinitionNode, parse, print } from 'graphql';
import { describe, it } from 'vitest';
import { row } from './bodies.ts';
import { keptBodies } from './kept-bodies.ts';
import { oddSeries } from './odd-series.ts';
import { expectRight } from './right.ts';

/** What is computed of rows is what the oracle says, of each odd series and of all of them, however it is selected. */

const points = ['first', 'last', 'minimum', 'maximum'].map((name) => `${name} { value valueDate assetId }`).join(' ');
const figures = `name count nullCount sum mean standardDeviation ${points} quantiles(of: [0, 0.25, 0.5, 0.999999, 1])`;
const lists = 'name counts sums means minimums maximums standardDeviations quantiles(of: [0.5, 0, 0.5])';
const named = '(metrics: ["n", "nothing", "m", "n"])';
const fields =
  'valueDate m: value(metric: "m") metrics { name value } some: metrics(metrics: ["n", "m"]) { value name }';

const ofSeries = [
  `rowCount metricNames rows { ${fields} } columns { valueDates metrics { name values } }`,
  `statistics { ${figures} }`,
  `a: statistics${named} { count mean } b: statistics(metrics: []) { name } last: statistics { last { value } }`,
  'statistics { odd: quantiles(of: [1.1]) name first { value @skip(if: true) } } latest { valueDate @skip(if: true) }',
  `statistics { where: maximum { assetId } maximum { is: value __typename } __typename maximum { valueDate } a: mean b: mean }`,
  `periods(every: YEAR) { metrics { a: quantiles(of: [1.1]) b: quantiles(of: [${Array(21).fill(0.5)}]) counts } }`,
  `periods(every: QUARTER) { a: dates metrics { name @skip(if: true) } b: metrics { sums: counts d: quantiles(of: []) } }`,
  ...['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'].map(
    (every) => `periods(every: ${every}) { dates metrics { ${lists} } }`,
  ),
  `periods(every: MONTH, metrics: ["n", "nothing", "m", "n"]) { a: __typename dates metrics { ${lists} } }`,
  `latest { ${fields} } other: latest { __typename value(metric: "m") metrics(metrics: []) { name } }`,
  ...[-1, 0, 1, 2, 3, 7, 12].map(
    (count) => `columns(points: ${count}) { rowCount valueDates metrics { name values } }`,
  ),
  'columns(metrics: ["n", "nothing", "m"], points: 5) { valueDates metrics { values } } rows(first: 2, offset: 1) { valueDate }',
];
const ofAll = [
  `metricNames statistics { ${figures} }`,
  `byDate { dates metrics { ${lists} } }`,
  `byDate${named} { a: __typename metrics { counts odd: quantiles(of: [-0.1]) } b: dates } statistics(metrics: "m") { first { value } last { value } }`,
];
const onSeries = (selection: string) => `series { nodes { ${selection} } }`;
const selections = [...ofSeries.map(onSeries), ...ofAll];

/** All fields of these, each with a key of its own. */
const together = (all: readonly string[]) =>
  all.flatMap((selection, index) => {
    const [{ selectionSet }] = parse(`{ ${selection} }`).definitions as unknown as [OperationDefinitionNode];
    return (selectionSet.selections as readonly FieldNode[]).map((field) =>
      print({ ...field, alias: { kind: Kind.NAME, value: `k${index}${(field.alias ?? field.name).value}` } }),
    );
  });
const everything = [onSeries(together(ofSeries).join(' ')), ...together(ofAll)].join(' ');
const some = `${onSeries(`${ofSeries[0]} ${ofSeries[1]} ${ofSeries[9]}`)} ${ofAll[0]} ${ofAll[1]}`;

const WHOLE = [[1 << 20]];

const jsonOf = (series: unknown) => (typeof series === 'string' ? series : JSON.stringify(series));
const bodyOf = (...all: unknown[]) =>
  `{"assets":[${all.map((series, index) => `{"asset_id":"a${index}","results":${jsonOf(series)}}`).join()}]}`;

describe('What is computed is what the oracle says', () => {
  const good = oddSeries['rows as usual'];

  it.each(Object.entries(oddSeries))('of %s', (_, series) => {
    const alone = bodyOf(series);
    for (const selection of selections) expectRight(selection, alone, WHOLE, false);
    expectRight(everything, alone);
    // Each series begins anew, also behind one that failed.
    expectRight(some, bodyOf(good, series, null, series, good), WHOLE);
  });

  it('of series whose dates are the same but for a nanosecond', () => {
    const rows = (...ends: string[]) => ends.map((end, m) => row(`2024-01-01T00:00:00.00000000${end}Z`, { m }));
    for (const selection of ofAll) expectRight(selection, bodyOf(rows('0', '1'), rows('0', '2'), rows('0', '1', '10')));
  });

  it('of all odd series one after another', () => {
    const body = bodyOf(...Object.values(oddSeries));
    for (const selection of [...ofSeries.map(onSeries), ofAll[0] as string])
      expectRight(selection, body, [[999, 13]], false);
  });
});

it.each(keptBodies.map(({ title, ...kept }) => [title, kept] as const))(
  'What is read is what the oracle says of %s',
  (_, kept) => {
    expectRight(kept.selection, kept.body, [[1 << 20], [4093, 7]]);
  },
);
