import { describe, expect, it } from 'vitest';
import {
  type Answer,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  respondWith,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const nameOf = (id: string) => `name of ${id}`;

/** A service that has every dataset, and every asset that it is asked for. */
async function startEcho(): Promise<TestBed> {
  const bed = await start();
  bed.simulator.intercept(({ operation, datasetId = '', body }) => {
    const echoed =
      operation === 'getDatasetMetadata'
        ? { name: nameOf(datasetId) }
        : { assets: JSON.parse(body).mo_ids.map((id: string) => ({ asset_id: id, asset_name: nameOf(id) })) };
    return { status: 200, body: JSON.stringify(echoed) };
  });
  return bed;
}

const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;
const series = '{ series { nodes { asset { assetId name } } } }';
const callForAsset = (id: string) => postResults({ mo_ids: [id] });
const filterOf = (id: string, quote: string) => `{${quote}assetIds${quote}: [${id}]}`;
const only = (id: string) => id;
const inList = (id: string) => `[${id}]`;

/** The places of an operation that have an id: the type, the operation without its head, the value, and the call for the id. */
const places: readonly [
  type: string,
  selection: string,
  value: (id: string, quote: string) => string,
  call: (id: string) => string,
][] = [
  ['ID!', '{ dataset(id: $v) { id name } }', only, getSummary],
  ['[ID!]!', '{ datasetsByIds(ids: $v) { id name } }', inList, getSummary],
  // A list with one id alone.
  ['[ID!]!', '{ datasetsByIds(ids: $v) { id name } }', only, getSummary],
  ['ID!', inDataset('asset(assetId: $v) { assetId name }'), only, callForAsset],
  ['[ID!]!', inDataset('assetsByIds(assetIds: $v) { assetId name }'), inList, callForAsset],
  ['ResultsFilterInput', inDataset(`results(filter: $v) ${series}`), filterOf, callForAsset],
  ['ID!', inDataset(`results(filter: { assetIds: [$v] }) ${series}`), only, callForAsset],
];

/** Sends a document with variables as they are written, by POST or by GET. */
function send({ http }: TestBed, query: string, variables: string, way: 'POST' | 'GET' = 'POST'): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json', 'content-type': 'application/json' };
  if (way === 'GET') {
    const path = `/graphql?${new URLSearchParams({ query, variables })}`;
    return http(path, { headers: { ...headers, 'apollo-require-preflight': 'yes' } });
  }
  const body = `{"query": ${JSON.stringify(query)}, "variables": ${variables}}`;
  return http('/graphql', { method: 'POST', headers, body });
}

/*
 * Clause 3.5 of docs/contract.md in detail: ids as numbers.
 * In a variable of a POST or a GET, on its own, in a list, in a filter and in an entity reference, an integer of at most 2^53 - 1 is
 * the id with its digits. Another number is `BAD_USER_INPUT` without a call; in a reference, that reference alone is null. A literal
 * or a default value is an id with all digits that are written, but in a reference, which has no types; a fraction does not validate.
 */
describe('3.5 Ids as numbers', () => {
  it.each(places)('the digits are requested as written, or refused: %s in %s', async (type, selection, value, call) => {
    const bed = await startEcho();
    const document = `query ($v: ${type}) ${selection}`;
    const expectFound = ({ text, body }: Answer, id: string) => {
      expect(body.errors).toBeUndefined();
      expect(text).toContain(`d":"${id}","name":"${nameOf(id)}"`);
      expect(bed.calls()).toEqual([call(id)]);
      bed.simulator.clear();
    };
    // The document is known from the second time on.
    for (const id of ['0', '-7', '9007199254740991', '-9007199254740991'])
      for (const way of ['POST', 'GET'] as const)
        expectFound(await send(bed, document, `{"v": ${value(id, '"')}}`, way), id);
    for (const id of ['0', '-7', '9007199254740993', '1'.repeat(200)]) {
      const literal = value(id, '');
      expectFound(await send(bed, selection.replace('$v', literal), '{}'), id);
      expectFound(await send(bed, `query ($v: ${type} = ${literal}) ${selection}`, '{}'), id);
    }
    for (const id of ['9007199254740992', '-9007199254740992', '1.5', '1e21', '9007199254740993.0', '1e400', 'true']) {
      const response = await send(bed, document, `{"v": ${value(id, '"')}}`);
      expect([id, response.status, outline(response).errors]).toEqual([id, 200, ['BAD_USER_INPUT']]);
      expect(response.body.errors[0].message).toContain('An ID must be a text, or an integer of at most 2^53 - 1.');
    }
    for (const id of ['1.5', '1e21', 'true']) {
      const response = await send(bed, selection.replace('$v', value(id, '')), '{}');
      expect([id, response.status, outline(response).errors]).toEqual([id, 400, ['GRAPHQL_VALIDATION_FAILED']]);
    }
    expect(bed.calls()).toEqual([]);
  });

  it.each(['a variable', 'a literal'])(
    'in references to entities they are requested, or refused one by one: %s',
    async (way) => {
      const bed = await startEcho();
      const ofDatasets = ['5', '9007199254740993', '"-0, 1e21"', '1.5'].map(
        (id) => `{"__typename": "Dataset", "id": ${id}, "x": {"y": 1.0}}`,
      );
      const ofAssets = ['7', '1e21'].map((id) => `{"__typename": "Asset", "datasetId": 6, "assetId": ${id}}`);
      const references = `[${[...ofDatasets, ...ofAssets].join()}]`;
      const fields = '... on Dataset { id name } ... on Asset { datasetId assetId name }';
      const response =
        way === 'a variable'
          ? await send(bed, ofEntities(fields), `{"references": ${references}}`)
          : await send(
              bed,
              `{ _entities(representations: ${references.replaceAll(/"(\w+)":/g, '$1:')}) { ${fields} } }`,
              '{}',
            );
      const found = (id: string) => ({ id, name: nameOf(id) });
      expect(outline(response)).toEqual({
        data: {
          _entities: [
            found('5'),
            null,
            found('-0, 1e21'),
            null,
            { datasetId: '6', assetId: '7', name: nameOf('7') },
            null,
          ],
        },
        errors: [1, 3, 5].map((index) => `_entities.${index} BAD_USER_INPUT`),
      });
      const summaries = ['5', '-0%2C%201e21'].map((id) => getSummary(id));
      expect(bed.calls().toSorted()).toEqual([...summaries, postResults({ mo_ids: ['7'] }, '6')].toSorted());
    },
  );
});

describe('3.5 An id of `Asset.id`', () => {
  const MESSAGE = 'This is an id of `Asset.id`, among the assets of all datasets. The `assetId` is needed here.';
  const idOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

  it('is no `assetId`: of a dataset, of a filter, of an entity, or of a file', async () => {
    const bed = await start();
    const { id } = (await bed.query(ofDataset('asset(assetId: "a") { id }'))).body.data.dataset.asset;
    expect(id).toBe(idOf(DATASET_ID, 'a'));
    const fields = `asset(assetId: "${id}") { name } assetsByIds(assetIds: ["a", "${id}"]) { assetId }
      results(filter: { assetIds: ["a", "${id}"] }) { series { totalCount } }`;
    const references = [datasetReference(), { __typename: 'Asset', datasetId: DATASET_ID, assetId: id }];
    const responses = [
      await bed.query(ofDataset(fields)),
      await bed.query(ofEntities('... on Asset { name }'), { variables: { references } }),
    ];
    expect(responses.map((response) => outline(response).errors)).toEqual([
      ['asset', 'assetsByIds.1', 'results'].map((path) => `dataset.${path} BAD_USER_INPUT`),
      ['_entities.1 BAD_USER_INPUT'],
    ]);
    const { status, text } = await receive(bed, resultsPath(`format=csv&assetId=${id}`));
    expect(status).toBe(400);
    for (const { errors } of [...responses.map(({ body }) => body), JSON.parse(text)])
      for (const { message } of errors) expect(message).toBe(MESSAGE);
    expect(bed.calls()).toEqual([]);
  });

  it('is not what only looks like it', async () => {
    const bed = await start();
    for (const assetId of [
      ...[idOf('a'), idOf('a', 2), idOf('a', 'b', 'c'), `${idOf('a', 'bc')}=`],
      ...['WyJ', Buffer.from('["a", "b"]').toString('base64url')],
    ]) {
      respondWith(bed.simulator, { results: { assets: [{ asset_id: assetId, asset_name: 'A' }] } });
      const { body } = await bed.query(ofDataset(`asset(assetId: "${assetId}") { name }`));
      expect([assetId, body]).toEqual([assetId, { data: { dataset: { asset: { name: 'A' } } } }]);
    }
  });
});
