import { describe, expect, it } from 'vitest';
import { days, row, startWith } from '../support/aggregates.ts';
import { DATASET_ID, ofDataset, start } from '../support/harness.ts';
import { receive, resultsPath, tickets } from '../support/results-files.ts';

const noQuantile = 'A quantile must be a number from 0 to 1.';
const tooManyQuantiles = Array(21).fill(0.5).join();
const tooMany = ['A list of quantiles must have at most 20 entries.', 'REQUEST_LIMIT_EXCEEDED'] as const;
const tooManyNames = Array.from({ length: 1001 }, (_, index) => `m${index}`);

describe('3.43 Arguments of files', () => {
  it.each<[args: string, message: string, code?: string]>([
    ['seriesPeriodsFile(format: CSV, every: DAY, quantiles: [1.5])', noQuantile],
    [`byDateFile(format: CSV, quantiles: [${tooManyQuantiles}])`, ...tooMany],
    [
      `rowsFile(format: CSV, metrics: ${JSON.stringify(tooManyNames)})`,
      'A list of metric names must have at most 1000 entries.',
      'REQUEST_LIMIT_EXCEEDED',
    ],
    [
      `byDateFile(format: CSV, metrics: ["${'m'.repeat(15_000)}"])`,
      'The asset ids and metrics are too many for the URL of a file.',
      'REQUEST_LIMIT_EXCEEDED',
    ],
  ])('that are wrong give an error, and no URL: %.60s', async (field, message, code = 'BAD_USER_INPUT') => {
    const bed = await start({ env: tickets });
    const { body } = await bed.query(ofDataset(`results { file: ${field} { url ticketUrl } }`));
    const path = ['dataset', 'results', 'file'];
    expect(body).toEqual({
      data: { dataset: { results: { file: null } } },
      errors: [{ message, path, locations: [expect.anything()], extensions: { code } }],
    });
    expect(bed.calls()).toEqual([]);
  });

  it('have no name with a lone surrogate: a URL would change it', async () => {
    const { query } = await start();
    const document = `query ($names: [String!]) { dataset(id: "${DATASET_ID}") { results { rowsFile(format: CSV, metrics: $names) { url } } } }`;
    const { body } = await query(document, { variables: { names: ['\ud800'] } });
    expect(body.errors).toMatchObject([
      {
        message: 'The URL of a file cannot have the name of a metric with a lone surrogate.',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });

  const wrongQueries: [query: string, message: string, code?: string][] = [
    ['of=row', 'The parameter "of" must be one of rows, periods, statistics, byDate.'],
    ['of=byDate&of=byDate', 'The parameter "of" must not be repeated.'],
    ['of=periods', 'A file of periods needs "every".'],
    ['of=periods&every=MONTH', 'The parameter "every" must be one of day, week, month, quarter, year.'],
    ['of=periods&every=day&every=day', 'The parameter "every" must not be repeated.'],
    ['of=byDate&layout=wide', 'Only a file of rows can be wide.'],
    ['every=day', 'Only a file of periods has "every".'],
    ['quantile=0.5', 'A file of rows has no quantiles.'],
    ['of=statistics&quantile=2', 'A quantile must be a number from 0 to 1.'],
    ['of=byDate&quantile=', 'The parameter "quantile" must be a number from 0 to 1.'],
    ['of=byDate&quantile=half', 'The parameter "quantile" must be a number from 0 to 1.'],
    [
      `of=byDate${'&quantile=0.5'.repeat(21)}`,
      'A list of quantiles must have at most 20 entries.',
      'REQUEST_LIMIT_EXCEEDED',
    ],
    ['metrics=all', 'The parameter "metrics" must be "none", without a parameter "metric".'],
    ['metrics=none&metric=m', 'The parameter "metrics" must be "none", without a parameter "metric".'],
    ['quantiles=0.5', 'The query has no parameter "quantiles".'],
    [
      tooManyNames.map((name) => `metric=${name}`).join('&'),
      'A list of metric names must have at most 1000 entries.',
      'REQUEST_LIMIT_EXCEEDED',
    ],
  ];

  it('that are wrong in a URL are refused', async () => {
    const bed = await start();
    for (const [query, message, code = 'BAD_USER_INPUT'] of wrongQueries) {
      const { status, text } = await receive(bed, resultsPath(`format=csv&${query}`));
      expect([status, JSON.parse(text)]).toEqual([400, { errors: [{ message, extensions: { code } }] }]);
    }
    expect(bed.calls()).toEqual([]);
  });
});

const good = row('2024-01-01', { m: 1 });
const [first, last] = [row('0001-01-01', { m: 1 }), row('9999-01-01', { m: 1 })];
const upstream = {
  code: 'UPSTREAM_INVALID_RESPONSE',
  rest: expect.objectContaining({ operation: 'getDatasetResults', status: 200 }),
};

/** Expects each format of a file to be this error. */
async function expectError(results: readonly (readonly object[])[], query: string, status: number, error: object) {
  const bed = await startWith(results);
  for (const format of ['csv', 'ndjson', 'parquet', 'arrow']) {
    const file = await receive(bed, resultsPath(`format=${format}&${query}`));
    expect([file.status, JSON.parse(file.text)]).toEqual([status, { errors: [error] }]);
  }
}

describe('3.43 A file of what is computed', () => {
  it.each<[query: string, rows: readonly object[], problem: string]>([
    ['of=periods&every=day', [good, row('Q1', { m: 1 })], 'row 1 of series 1 has a date that cannot be read'],
    ['of=statistics', [good, row('Q1', { m: 1 })], 'row 1 of series 1 has a date that cannot be read'],
    ['of=statistics', [good, row('2024-01-01', { m: '1' })], 'row 1 of series 1 has a value of a wrong type'],
    ['of=byDate', [row(5, { m: 1 })], 'row 0 of series 1 has a date of a wrong type'],
  ])('has the error of the field before its first bytes: %s', async (query, rows, problem) => {
    const message = `The dataset service sent an invalid response: ${problem}.`;
    await expectError([[good], rows], query, 502, { message, extensions: upstream });
  });

  it('has the limits of the field', async () => {
    const message =
      'A series has at most 10,000 periods, and 100,000 with those of all metrics. Select longer periods.';
    const extensions = { code: 'REQUEST_LIMIT_EXCEEDED' };
    await expectError([[good], [first, last]], 'of=periods&every=day', 400, { message, extensions });
  });

  it('breaks off where the error comes after the first bytes', async () => {
    // Of four assets with 9000 days, more than a chunk is written.
    const many = days('2000-01-01', Array(9000).fill(1));
    for (const wrong of [[row('Q1', { m: 1 })], [first, last]]) {
      const bed = await startWith([many, many, many, many, wrong]);
      for (const format of ['csv', 'ndjson']) {
        const { status, isComplete } = await receive(bed, resultsPath(`format=${format}&of=periods&every=day`));
        expect([status, isComplete]).toEqual([200, false]);
      }
      // One by date of the same has no bytes before its end.
      expect((await receive(bed, resultsPath('format=csv&of=byDate'))).isComplete).toBe(true);
    }
  });

  it('by date reserves memory for what it keeps', async () => {
    const long = (from: number) =>
      Array.from({ length: 100 }, (_, index) => row(`${'x'.repeat(1000)}${from + index}`, { m: from + index }));
    const all = Array.from({ length: 150 }, (_, index) => long(index * 100));
    const bed = await startWith(all, { MEMORY_BUDGET: '12000000' });
    const byDate = await receive(bed, resultsPath('format=csv&of=byDate'));
    expect([byDate.status, JSON.parse(byDate.text).errors]).toMatchObject([
      502,
      [{ extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } }],
    ]);
    // Of these, hardly anything is kept.
    expect((await receive(bed, resultsPath('format=csv&of=statistics'))).isComplete).toBe(true);
  });
});
