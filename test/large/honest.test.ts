import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRecipes } from '../support/cookbook.ts';
import { DATASET_ID } from '../support/harness.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();

/** Results of about so many megabytes: assets with a thousand rows of three metrics. */
function resultsOf(megabytes: number): Buffer {
  const metrics = ['ndvi', 'moisture', 'temperature'].map((name, index) => `{"name":"${name}","value":${index}.123}`);
  const rows = Array.from({ length: 1000 }, () => `{"value_date":"2024-01-01","metrics":[${metrics.join()}]}`).join();
  const asset = (index: number) =>
    `{"asset_id":"asset-${index}","asset_name":"Field ${index}","asset_version":1,"results":[${rows}]}`;
  const count = Math.floor((megabytes * 1e6) / asset(1000).length);
  return Buffer.concat([
    Buffer.from('{"assets":['),
    ...Array.from({ length: count }, (_, index) => Buffer.from(`${index === 0 ? '' : ','}${asset(index)}`)),
    Buffer.from(']}'),
  ]);
}

/** The codes of the errors of an operation. */
async function codesOf(document: string, variables: object = {}): Promise<string> {
  const { body } = await request(`${subgraph.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ query: document, variables }),
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  // Errors come before the data or after it.
  const ends = bytes.toString('utf8', 0, 2000) + bytes.toString('utf8', Math.max(0, bytes.length - 5000));
  return [...ends.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code).join();
}

const entries = ['nodes { asset { assetId } }', 'edges { cursor node { asset { assetId name } } }'];
const ends = ['', 'pageInfo { hasNextPage endCursor }', 'totalCount', 'totalCount pageInfo { hasNextPage }'];
const pages = [0, 1, 50, 1000].flatMap((first) =>
  entries.flatMap((each) => ends.map((end) => `series(first: ${first}) { ${each} ${end} }`)),
);
const wholes = [
  'series { nodes { asset { assetId name } rows { valueDate metrics { name value } } } }',
  'series { nodes { asset { assetId name } columns { valueDates metrics { name values } } } }',
  'series { totalCount nodes { rowCount metricNames } }',
  'series(first: 50) { nodes { asset { assetId } rows { valueDate metrics { name value } } } pageInfo { endCursor } }',
];
const recipes = readRecipes();

describe.each([
  [10, [...wholes, ...pages]],
  [70, [...wholes, ...pages]],
  [250, [...wholes, ...pages]],
])('3.27 Results of %i MB', (megabytes, selections) => {
  beforeAll(() => {
    const whole = resultsOf(megabytes);
    const none = Buffer.from('{"assets":[]}');
    const metadata = Buffer.from('{"name":"n"}');
    subgraph.answer = (method, body) =>
      method === 'GET' ? metadata : JSON.parse(body).mo_ids === undefined ? whole : none;
  }, 60_000);

  it.each(selections)('have honest pages: %s', { timeout: 60_000 }, async (selection) => {
    expect(await codesOf(`{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }`)).toBe('');
  });

  const shown = recipes.filter(({ document }) => document.includes('series'));
  it.each(shown)('serve the recipe "$heading"', { timeout: 60_000 }, async ({ document, variables }) => {
    expect(await codesOf(document, variables)).not.toContain('REQUEST_LIMIT_EXCEEDED');
  });
});
