import { expect } from 'vitest';
import { DATASET_ID, postResults, respondWith, type Setup, start, type TestBed } from './harness.ts';

/** The fields of statistics, and those of a metric by date; but for quantiles. */
const POINTS = ['first', 'last', 'minimum', 'maximum'].map((name) => `${name} { value valueDate assetId }`);
export const STATISTICS = `name count nullCount sum mean standardDeviation ${POINTS.join(' ')}`;
export const LISTS = 'name counts sums means minimums maximums standardDeviations';

/** A row of a results response. */
export const row = (date: unknown, values: Record<string, unknown> = {}) => ({
  value_date: date,
  metrics: Object.entries(values).map(([name, value]) => ({ name, value })),
});

/** Days from a date on, each with a value of the metric `m`. */
export function days(from: string, values: readonly unknown[]) {
  const start = Date.parse(`${from}T00:00:00Z`);
  return values.map((m, index) => row(new Date(start + index * 86_400_000).toISOString().slice(0, 10), { m }));
}

/** Assets of a results response, each with its rows. */
export const assetsOf = (results: readonly unknown[]) =>
  results.map((rows, index) => ({ asset_id: `a${index}`, results: rows }));

/** A subgraph whose service sends these results, an asset each, or this body. */
export async function startWith(results: readonly unknown[] | string, env: Setup['env'] = {}): Promise<TestBed> {
  const bed = await start({ env });
  respondWith(bed.simulator, { results: typeof results === 'string' ? results : { assets: assetsOf(results) } });
  return bed;
}

/** The types of variables. */
const types = { $names: '[String!]', $quantiles: '[Float!]!', $points: 'Int' };

/** What a selection on results gives, in one REST call. */
export async function ask(
  bed: TestBed,
  selection: string,
  variables = {},
): Promise<{ data: unknown; errors: unknown }> {
  bed.simulator.clear();
  const declared = Object.entries(types).filter(([name]) => selection.includes(name));
  const head = declared.length === 0 ? '' : `query (${declared.map((each) => each.join(': ')).join()})`;
  const { body, status } = await bed.query(`${head} { dataset(id: "${DATASET_ID}") { results { ${selection} } } }`, {
    variables,
    headers: { 'x-request-id': 'r' },
  });
  expect(status).toBe(200);
  expect(bed.calls()).toEqual([postResults({})]);
  return { data: body.data.dataset.results, errors: body.errors };
}

const located = { locations: [{ line: 1, column: expect.any(Number) }] };

/** The error of an invalid row. */
export const invalid = (path: string, problem: string) => ({
  ...located,
  message: `The dataset service sent an invalid response: ${problem}.`,
  path: pathOf(path),
  extensions: {
    code: 'UPSTREAM_INVALID_RESPONSE',
    rest: {
      operation: 'getDatasetResults',
      status: 200,
      label: null,
      labelSource: null,
      requestId: 'r',
      retryable: false,
    },
  },
});

/** An error that concerns no call. */
export const refused = (path: string, message: string, code = 'REQUEST_LIMIT_EXCEEDED') => ({
  ...located,
  message,
  path: pathOf(path),
  extensions: { code },
});

function pathOf(path: string) {
  const keys = `dataset.results${path === '' ? '' : `.${path}`}`.split('.');
  return keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
