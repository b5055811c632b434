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
describe('3.45 What is computed of a series with an invalid row', () => {
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
});
