import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ofDataset, start, type TestBed, TOKEN } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

const CASES = randomCases(10);
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
  const selections = [
    ['rows { valueDate metrics { name value } }', 'rows'],
    ['rows { metrics { name } valueDate } rowCount', 'rows'],
    ['columns { valueDates d: valueDates e: valueDates metrics { values v: values w: values } }', 'columns'],
  ] as const;

  it('need more work than an operation may have: the file has them', { tags: ['random'] }, async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: String(LIMIT), UPSTREAM_MAX_BYTES: String(4 * LIMIT) } });
    const cases = fc.tuple(fc.integer({ min: 20_000, max: 40_000 }), fc.constantFrom(...selections));
    await fc.assert(
      fc.asyncProperty(cases, async ([rows, [selection, field]]) => {
        const results = resultsOf([rows]);
        bed.simulator.intercept(() => ({ status: 200, body: JSON.stringify(results) }));
        const { body } = await bed.query(ofDataset(`results { series { nodes { ${selection} } } }`));
        const path = ['dataset', 'results', 'series', 'nodes', 0, field];
        expect(body.errors).toContainEqual(
          expect.objectContaining({
            message: `The operation exceeds its work limit (MAX_OPERATION_WORK is ${LIMIT}): select less, or get the results as a file (such as \`rowsFile\`).`,
            path,
            extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
          }),
        );
        expect(await download(bed)).toBe(csvOf(results));
      }),
      { numRuns: CASES },
    );
  });

  it('are too large to be read whole: the file has them', { tags: ['random'] }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 50, max: 400 }), { minLength: 3, maxLength: 12 }),
        fc.nat(1000),
        async (rowCounts, spare) => {
          const results = resultsOf(rowCounts);
          const text = JSON.stringify(results);
          const largest = Math.max(...results.assets.map((asset) => JSON.stringify(asset).length));
          const most = Math.min(text.length - 1, largest + 100 + spare);
          const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(most) } });
          bed.simulator.intercept(() => ({ status: 200, body: text }));
          const { body } = await bed.query(ofDataset('results { series { nodes { rowCount } } }'));
          expect(body).toMatchObject({
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
        },
      ),
      { numRuns: CASES },
    );
  });
});
