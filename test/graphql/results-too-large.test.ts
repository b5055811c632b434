import { describe, expect, it } from 'vitest';
import { ofDataset, start, type TestBed, TOKEN } from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

/** The smallest limit of work. */
const LIMIT = 1_000_000;

/** The results of assets with so many rows each. */
function resultsOf(rowCounts: readonly number[]) {
  const assets = rowCounts.map((count, index) => ({
    asset_id: `asset-${index}`,
    results: Array.from({ length: count }, (_, row) => ({
      value_date: new Date(Date.UTC(1970, 0, 1 + row)).toISOString().slice(0, 10),
      metrics: [{ name: 'm', value: row + 0.5 }],
    })),
  }));
  return { assets };
}

/** The same as a file of CSV. */
function csvOf({ assets }: ReturnType<typeof resultsOf>): string {
  const lines = assets.flatMap(({ asset_id: id, results }) =>
    results.flatMap(({ value_date: date, metrics }) =>
      metrics.map(({ name, value }) => `${id},,,${date},${name},${value}`),
    ),
  );
  return ['asset_id,asset_name,asset_version,value_date,metric,value', ...lines, ''].join('\r\n');
}

async function download(bed: TestBed): Promise<string> {
  const { body } = await bed.query(ofDataset('results { rowsFile(format: CSV) { url } }'));
  const { pathname, search } = new URL(body.data.dataset.results.rowsFile.url);
  const { status, text } = await bed.http(`${pathname}${search}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(status).toBe(200);
  return text.replace(/^\ufeff/, '');
}

/*
 * Clause 3.27 of docs/contract.md in detail: results that are too large for a response.
 * The error says that the results are available as a file, and that file is complete: the rows of one asset that need more work than
 * `MAX_OPERATION_WORK`, and all assets that are more than `UPSTREAM_MAX_BYTES`, each of which is not.
 */
describe('3.27 Results that are too large for a response', () => {
  it.each([
    ['rows { valueDate metrics { name value } }', 'rows'],
    ['columns { valueDates d: valueDates e: valueDates metrics { values v: values w: values } }', 'columns'],
  ])('need more work than an operation may have: the file has them: %s', async (selection, field) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: String(LIMIT), UPSTREAM_MAX_BYTES: String(4 * LIMIT) } });
    const results = resultsOf([30_000]);
    bed.simulator.intercept(() => ({ body: JSON.stringify(results) }));
    const response = await bed.query(ofDataset(`results { series { nodes { ${selection} } } }`));
    expect(errorsOf(response)).toContainEqual(exceedsWork(`dataset.results.series.nodes.0.${field}`, LIMIT));
    expect(await download(bed)).toBe(csvOf(results));
  });

  it('are too large to be read whole: the file has them', async () => {
    const results = resultsOf([50, 400, 120, 300]);
    const body = JSON.stringify(results);
    const most = Math.max(...results.assets.map((asset) => JSON.stringify(asset).length)) + 100;
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(most) } });
    bed.simulator.intercept(() => ({ body }));
    const response = await bed.query(ofDataset('results { series { nodes { rowCount } } }'));
    expect(response.body).toMatchObject({
      data: { dataset: { results: null } },
      errors: [
        {
          message: `The response of the dataset service is too large (UPSTREAM_MAX_BYTES is ${most}): select less, or get the results as a file (such as \`rowsFile\`).`,
          path: ['dataset', 'results'],
          extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
        },
      ],
    });
    expect(await download(bed)).toBe(csvOf(results));
  });
});
