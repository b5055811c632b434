import { describe, expect, it } from 'vitest';
import { ask, days, invalid, refused, row, startWith } from '../support/aggregates.ts';
import { DATASET_ID } from '../support/harness.ts';

/*
 * Clause 3.45 of docs/contract.md in detail: errors and limits of what is computed.
 * For a row without a date, or with one that cannot be read, `periods` is null with an error. `latest`, `first` and `last` pass
 * over a row without a date, and are null with an error for one that cannot be read. `byDate` then follows the order of texts, and
 * `columns(points:)` that of rows.
 * - A date or value of a wrong type makes the field null whose series it is in, or that of all assets. The error names the
 *   row, counted from 0 within its series.
 * - Limits of the results are REQUEST_LIMIT_EXCEEDED at the field. Invalid quantiles are BAD_USER_INPUT at each metric, and what is
 *   beside them stays.
 */
const FIELDS = `all: statistics { count } byDate { dates }
  series { nodes { periods(every: MONTH) { dates } latest { valueDate } statistics { count first { value } last { value } } } }`;

const good = days('2024-01-01', [1, 2]);
const UNREADABLE = 'row 2 has a date that cannot be read';
const [WRONG_DATE, WRONG_VALUE] = ['row 2 has a date of a wrong type', 'row 2 has a value of a wrong type'];
const WRONG_LIST = 'row 2 has a list of metrics of a wrong type';

describe('3.45 What is computed of a series with an invalid row', () => {
  const unreadable = { periods: UNREADABLE, latest: UNREADABLE, first: UNREADABLE, last: UNREADABLE };
  const wrongDate = {
    periods: WRONG_DATE,
    latest: WRONG_DATE,
    statistics: WRONG_DATE,
    all: WRONG_DATE,
    byDate: WRONG_DATE,
  };
  const wrong = (problem: string) => ({ periods: problem, statistics: problem, all: problem, byDate: problem });

  it.each<[row: object, errors: Readonly<Record<string, string>>]>([
    [row('secret', { m: 1 }), unreadable],
    [row('', { m: 1 }), unreadable],
    [row('2023-02-29', { m: 1 }), unreadable],
    [row(null, { m: 1 }), { periods: 'row 2 has no date' }],
    [{ metrics: [] }, { periods: 'row 2 has no date' }],
    [row(20_240_101, { m: 1 }), wrongDate],
    [row('2024-01-03', { m: 'secret' }), wrong(WRONG_VALUE)],
    [row('2024-01-03', { m: true }), wrong(WRONG_VALUE)],
    [{ value_date: '2024-01-03', metrics: 'secret' }, wrong(WRONG_LIST)],
  ])('is null with an error that names it, and other series are not affected: %j', async (odd, problems) => {
    const bed = await startWith([good, null, [...good, odd, odd], good]);
    const { data, errors } = await ask(bed, FIELDS);
    const { all, byDate, series } = data as Record<string, unknown> & { series: { nodes: Record<string, unknown>[] } };
    const node = series.nodes[2] as Record<string, unknown>;
    const [statistics] = (node.statistics ?? [undefined]) as [Record<string, unknown> | undefined];
    const found = { ...node, ...statistics, all, byDate };
    const isNull = (key: string) => found[key as keyof typeof found] === null;
    const fields = ['periods', 'latest', 'statistics', 'first', 'last', 'all', 'byDate'];
    expect(fields.filter(isNull)).toEqual(fields.filter((field) => field in problems));
    const value = {
      ...{ periods: { dates: ['2024-01-01'] }, latest: { valueDate: '2024-01-02' } },
      statistics: [{ count: 2, first: { value: 1 }, last: { value: 2 } }],
    };
    expect([series.nodes[0], series.nodes[3]]).toEqual([value, value]);
    const places: Record<string, string> = { first: 'statistics.0.first', last: 'statistics.0.last' };
    const expected = Object.entries(problems).map(([field, problem]) =>
      field === 'all' || field === 'byDate'
        ? invalid(field, problem.replace('row 2', 'row 2 of series 2'))
        : invalid(`series.nodes.2.${places[field] ?? field}`, problem),
    );
    const lines = expected.map(({ locations: _, ...error }) => error);
    const anyLine = (errors as object[]).map((error) => ({ ...error, locations: undefined }));
    expect(anyLine).toHaveLength(lines.length);
    expect(anyLine).toEqual(expect.arrayContaining(lines.map((error) => expect.objectContaining(error))));
  });

  it('names a row behind many', async () => {
    const bed = await startWith([[...days('2020-01-01', Array(1300).fill(1)), row('x'), row('y')]]);
    const { errors } = await ask(bed, 'series { nodes { periods(every: YEAR, metrics: []) { dates } } }');
    expect(errors).toEqual([invalid('series.nodes.0.periods', 'row 1300 has a date that cannot be read')]);
  });
});

describe('3.45 Arguments of what is computed', () => {
  const places: [field: string, place: string][] = [
    ['byDate { metrics { # } }', 'byDate.metrics'],
    ['statistics { # }', 'statistics'],
    ['series { nodes { periods(every: YEAR) { metrics { # } } } }', 'series.nodes.0.periods.metrics'],
    ['series { nodes { statistics { # } } }', 'series.nodes.0.statistics'],
  ];

  it.each(places)('are invalid quantiles of each metric, and nothing else: %s', async (field, place) => {
    const bed = await startWith([[row('2024-01-01', { m: 1, n: 2 })]]);
    const noQuantile = 'A quantile must be a number from 0 to 1.';
    for (const [quantiles, message, code] of [
      [[-0.001], noQuantile, 'BAD_USER_INPUT'],
      [[0.5, 1.001], noQuantile, 'BAD_USER_INPUT'],
      [Array(21).fill(0.5), 'A list of quantiles must have at most 20 entries.', 'REQUEST_LIMIT_EXCEEDED'],
    ] as const)
      for (const odd of ['$quantiles', `[${quantiles}]`]) {
        const asked = field.replace('#', `name odd: quantiles(of: ${odd}) quantiles(of: [1])`);
        const { data, errors } = await ask(bed, asked, { quantiles });
        expect(place.split('.').reduce((each, key) => (each as Record<string, unknown>)[key], data)).toMatchObject([
          { name: 'm', odd: null, quantiles: [expect.anything()] },
          { name: 'n', odd: null, quantiles: [expect.anything()] },
        ]);
        expect(errors).toEqual([0, 1].map((at) => refused(`${place}.${at}.odd`, message, code)));
      }
    const twenty = { quantiles: Array(20).fill(0.5) };
    expect((await ask(bed, field.replace('#', 'quantiles(of: $quantiles)'), twenty)).errors).toBeUndefined();
  });

  it('are those of a variable, of its default, and not null', async () => {
    const bed = await startWith([days('2024-01-01', [4, 2, 3, 1])]);
    const askWith = async (type: string, variables: Record<string, unknown>) => {
      const document = `query ($of: ${type}) { dataset(id: "${DATASET_ID}") { results { statistics { quantiles(of: $of) } } } }`;
      const { body } = await bed.query(document, { variables });
      return [body.data.dataset.results.statistics[0].quantiles, body.errors];
    };
    expect(await askWith('[Float!]!', { of: 0.5 })).toEqual([[2.5], undefined]);
    expect(await askWith('[Float!] = [0]', {})).toEqual([[1], undefined]);
    const message = 'Argument "of" of non-null type "[Float!]!" must not be null.';
    expect(await askWith('[Float!] = [0]', { of: null })).toEqual([
      null,
      [refused('statistics.0.quantiles', message, 'BAD_USER_INPUT')],
    ]);
  });

  it('are at most 1000 names, and no negative number of points', async () => {
    const bed = await startWith([good]);
    const names = Array.from({ length: 1001 }, (_, index) => `m${index}`);
    const statistics = 'statistics(metrics: $names) { count }';
    expect((await ask(bed, statistics, { names: names.slice(1) })).errors).toBeUndefined();
    const tooMany = 'A list of metric names must have at most 1000 entries.';
    const latest = 'series { nodes { latest { metrics(metrics: $names) { name } } columns(points: -1) { rowCount } } }';
    expect((await ask(bed, `${statistics} ${latest}`, { names })).errors).toEqual(
      expect.arrayContaining([
        refused('statistics', tooMany),
        refused('series.nodes.0.latest.metrics', tooMany),
        refused('series.nodes.0.columns', '"points" must not be negative.', 'BAD_USER_INPUT'),
      ]),
    );
  });
});
