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
  const assets = Array.from({ length: count }, (_, index) => Buffer.from(`${index === 0 ? '' : ','}${asset(index)}`));
  return Buffer.concat([Buffer.from('{"assets":['), ...assets, Buffer.from(']}')]);
}

/** The codes of the errors of an operation. */
async function codesOf(document: string, variables: object = {}): Promise<string> {
  const bytes = Buffer.from(await (await subgraph.query(document, variables)).arrayBuffer());
  // Errors come before the data or after it.
  const ends = bytes.toString('utf8', 0, 2000) + bytes.toString('utf8', Math.max(0, bytes.length - 5000));
  return [...ends.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code).join();
}

const selections = [
  'series { nodes { asset { assetId name } rows { valueDate metrics { name value } } } }',
  'series { nodes { asset { assetId name } columns { valueDates metrics { name values } } } }',
  'series { totalCount nodes { rowCount metricNames } }',
  'series(first: 50) { nodes { asset { assetId } rows { valueDate metrics { name value } } } pageInfo { endCursor } }',
  'series(first: 1000) { edges { cursor node { asset { assetId name } } } pageInfo { hasNextPage endCursor } }',
].map((title) => ({
  title,
  document: `{ dataset(id: "${DATASET_ID}") { results { ${title} } } }`,
  variables: undefined,
}));
const recipes = readRecipes()
  .filter(({ document }) => document.includes('series'))
  .map(({ heading, document, variables }) => ({ title: `recipe "${heading}"`, document, variables }));

describe.each([
  [70, recipes],
  [250, selections],
])('3.27 Results of %i MB', (megabytes, documents) => {
  beforeAll(() => {
    const whole = resultsOf(megabytes);
    const [none, metadata] = [Buffer.from('{"assets":[]}'), Buffer.from('{"name":"n"}')];
    subgraph.answer = (method, body) =>
      method === 'GET' ? metadata : JSON.parse(body).mo_ids === undefined ? whole : none;
  }, 60_000);

  it.each<{ title: string; document: string; variables: object | undefined }>(documents)(
    'are within the limits of an operation: $title',
    { timeout: 60_000 },
    async ({ document, variables }) => {
      const codes = await codesOf(document, variables);
      const noLimit = expect.not.stringContaining('REQUEST_LIMIT_EXCEEDED');
      expect(codes).toEqual(variables === undefined ? '' : noLimit);
    },
  );
});
