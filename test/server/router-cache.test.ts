import { describe, expect, it } from 'vitest';
import {
  type Answer,
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  datasetReference,
  ofDataset,
  ofEntities,
  respondWith,
  start,
} from '../support/harness.ts';

const both = { ROUTER_CACHE_METADATA_SECONDS: '60', ROUTER_CACHE_RESULTS_SECONDS: '30' };
const ROWS = 'results { series { nodes { rows { valueDate metrics { name value } } } } }';
const { name } = dataset.metadata;

/** What a response says to caches. */
function caching({ headers }: Answer) {
  return [headers['cache-control'], headers.vary];
}
const reusable = (seconds: number) => [`private, max-age=${seconds}`, 'Accept, Authorization'];
const notStored = ['no-store', undefined];

/** An asset with so many rows of 50 bytes and more. */
function assetWithRows(count: number, value: unknown = 1) {
  const results = Array.from({ length: count }, (_, day) => ({
    value_date: `day-${day}`,
    metrics: [{ name: 'moisture', value: day === count - 1 ? value : 1 }],
  }));
  return { assets: [{ ...assetResult('a'), results }] };
}

/*
 * Clause 3.39 of docs/contract.md in detail.
 * `ROUTER_CACHE_METADATA_SECONDS` and `ROUTER_CACHE_RESULTS_SECONDS` let routers and browsers reuse responses. A
 * response says `Cache-Control: private, max-age=N` and `Vary: Accept, Authorization`, with N as the least of the
 * settings whose data was read. Every other response says `no-store`: with an error of any kind; with a ticket or a URL
 * with the token; with metadata or results whose setting is 0, the default; and without data of the service.
 * - The errors of a response that is written from the bytes of REST responses are known when it is written. So up to
 *   3.5 MB are written before the headers are sent. A response that is longer says `no-store`.
 * - A response that may be reused has tags in the extensions that Apollo Router reads:
 *   `apolloCacheTags` is a list of `dataset-<id>` with each dataset that was read, and in a response of entities,
 *   `apolloEntityCacheTags` is a list with such a list for each representation. If there are several fields
 *   `_entities`, that list is empty.
 */
describe('3.39 Cache headers', () => {
  it.each([
    ['metadata', 'name', both, 60],
    ['results', ROWS, both, 30],
    ['attributes of an asset', 'asset(assetId: "a") { name }', both, 30],
    ['both, the least of them', `name ${ROWS}`, both, 30],
    ['a link without a secret', 'name download { url }', both, 60],
  ])('allow the same client to reuse a response for a time: %s', async (_title, selection, env, seconds) => {
    const { query } = await start({ env });
    const first = await query(ofDataset(selection));
    expect(first).toMatchObject({ status: 200, body: { data: { dataset: expect.anything() } } });
    expect(first.body).not.toHaveProperty('errors');
    expect(caching(first)).toEqual(reusable(seconds));
    // It is executed another way now.
    const second = await query(ofDataset(selection));
    expect([second.text, ...caching(second)]).toEqual([first.text, ...reusable(seconds)]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['nothing is set', 'name', {}],
    ['a part must not be stored', `name ${ROWS}`, { ROUTER_CACHE_METADATA_SECONDS: '60' }],
    ['nothing is read', 'id', both],
    ['a ticket is selected', 'name download { ticketUrl }', { ...both, DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) }],
    ['a URL with the token is selected', 'name downloadUrlWithToken', { ...both, DOWNLOAD_TOKEN_IN_URL: 'allow' }],
  ])('allow nothing where %s', async (_title, selection, env) => {
    const { query } = await start({ env });
    for (let times = 0; times < 2; times += 1) {
      const answer = await query(ofDataset(selection));
      expect(answer.body).not.toHaveProperty('errors');
      expect(caching(answer)).toEqual(notStored);
    }
  });

  it.each<[string, string, object?]>([
    ['of a REST call', '{ a: dataset(id: "gone") { name } }'],
    ['of one of several', `{ a: dataset(id: "gone") { name } b: dataset(id: "${DATASET_ID}") { name } }`],
    ['of a field', ofDataset('name download { ticketUrl }')],
    ['of the document', '{ nothing }'],
    ['of a client without a token', ofDataset('name'), { token: null }],
  ])('allow nothing with an error %s', async (_title, document, request = {}) => {
    const { query } = await start({ env: both });
    for (let times = 0; times < 2; times += 1) {
      const answer = await query(document, request);
      expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(['errors']));
      expect(answer.body).not.toHaveProperty('extensions');
      expect(caching(answer)).toEqual(notStored);
    }
  });

  it.each([
    ['small', 10],
    ['of many chunks', 20_000],
  ])('allow nothing with an error that is found while the response is written: %s', async (_title, count) => {
    const { simulator, query } = await start({ env: both });
    respondWith(simulator, { results: assetWithRows(count, 'much') });
    const answer = await query(ofDataset(ROWS));
    expect(answer.body.errors).toHaveLength(1);
    expect(caching(answer)).toEqual(notStored);
  });

  it('are sent with a response of up to 3.5 MB, whose errors are known before', async () => {
    const { simulator, query } = await start({ env: both });
    respondWith(simulator, { results: assetWithRows(50_000) });
    const fitting = await query(ofDataset(ROWS));
    expect(fitting.text.length).toBeGreaterThan(3_300_000);
    expect(caching(fitting)).toEqual(reusable(30));
    respondWith(simulator, { results: assetWithRows(60_000) });
    const longer = await query(ofDataset(ROWS));
    expect(longer.body.data.dataset.results.series.nodes[0].rows).toHaveLength(60_000);
    expect(caching(longer)).toEqual(notStored);
  });
});

describe('3.39 Cache tags', () => {
  const references = [datasetReference(), assetReference('a'), assetReference('b')];

  it('name the datasets of a response', async () => {
    const { query } = await start({ env: both });
    const document = `{ a: dataset(id: "${DATASET_ID}") { name ${ROWS} } b: dataset(id: "unread") { id } }`;
    for (let times = 0; times < 2; times += 1) {
      const { body } = await query(document);
      expect(body.data).toMatchObject({ a: { name }, b: { id: 'unread' } });
      expect(body.extensions).toEqual({ apolloCacheTags: [`dataset-${DATASET_ID}`] });
    }
  });

  it('name the dataset of each entity, in their order', async () => {
    const { query } = await start({ env: both });
    const document = ofEntities('... on Dataset { name } ... on Asset { name }');
    const { body } = await query(document, { variables: { references } });
    expect(body).toEqual({
      data: { _entities: [{ name }, { name: 'Field a' }, { name: 'Field b' }] },
      extensions: { apolloEntityCacheTags: Array(3).fill([`dataset-${DATASET_ID}`]) },
    });
  });

  it('are left out where several lists of entities could not be told apart', async () => {
    const { query } = await start({ env: both });
    const document = `query ($references: [_Any!]!) {
      a: _entities(representations: $references) { ... on Dataset { name } }
      b: _entities(representations: $references) { ... on Dataset { name } }
    }`;
    const { body } = await query(document, { variables: { references: [datasetReference()] } });
    expect(body).toEqual({
      data: { a: [{ name }], b: [{ name }] },
      extensions: { apolloEntityCacheTags: [] },
    });
  });
});
