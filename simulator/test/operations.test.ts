import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  day,
  downloadPath,
  elm,
  expectRefusal,
  get,
  metadataPath,
  oak,
  olderOak,
  post,
  recordedBy,
  resultsPath,
  row,
  start,
  trees,
} from '../../test/support/simulator.ts';
import type { SimulatedAsset, Simulator } from '../src/simulator.ts';

/** The results of `trees`; a filter that is text is sent as it is. */
function postFilter(simulator: Simulator, filter: unknown): Promise<Response> {
  return post(simulator, resultsPath('trees'), typeof filter === 'string' ? filter : JSON.stringify(filter));
}

async function assetsOf(response: Response): Promise<SimulatedAsset[]> {
  expect(response.status).toBe(200);
  return (await bodyOf<{ assets: SimulatedAsset[] }>(response)).assets;
}

describe('§4.1 get dataset metadata', () => {
  it('answers 200 with DatasetMetadata as JSON, nulls included', async () => {
    const response = await get(await start(), metadataPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(trees.metadata);
  });

  it('decodes the path parameter', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'a/b ü?' } }] });
    const response = await get(simulator, metadataPath(encodeURIComponent('a/b ü?')));
    expect(await response.json()).toEqual({ id: 'a/b ü?' });
    expect(recordedBy(simulator).datasetId).toBe('a/b ü?');
  });
});

describe('§4.2 download static dataset', () => {
  it('answers 200 with the bytes, their type, their length and the file name', async () => {
    const response = await get(await start(), downloadPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv');
    expect(response.headers.get('content-length')).toBe('18');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="trees.csv"');
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it.each([
    ['say "hi"\\.txt', 'attachment; filename="say \\"hi\\"\\\\.txt"'],
    ["größe (1)'*.csv", `attachment; filename="gr__e (1)'*.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29%27%2A.csv`],
    ['two\nlines', `attachment; filename="two_lines"; filename*=UTF-8''two%0Alines`],
    ['😀.txt', `attachment; filename="_.txt"; filename*=UTF-8''%F0%9F%98%80.txt`],
  ])('writes the file name %j by RFC 6266', async (name, expected) => {
    const file = { name, contentType: 'text/plain', bytes: Buffer.from('x') };
    const simulator = await start({ datasets: [{ metadata: { id: 'one' }, file }] });
    const response = await get(simulator, downloadPath('one'));
    expect(response.headers.get('content-disposition')).toBe(expected);
  });

  it('answers 404 NOT_FOUND when the dataset has no file', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'one' } }] });
    await expectRefusal(await get(simulator, downloadPath('one')), 404, 'NOT_FOUND');
  });
});

describe('§4.2, §4.4 the query parameter authToken', () => {
  it('is enough for the download', async () => {
    const response = await get(await start(), `${downloadPath('trees')}?authToken=token-a`, {});
    expect(response.status).toBe(200);
  });

  it.each([
    ['unknown', '?authToken=wrong'],
    ['empty', '?authToken='],
    ['given twice', '?authToken=token-a&authToken=token-a'],
  ])('is refused with 401 WRONG_CREDENTIALS when %s', async (_case, query) => {
    const response = await get(await start(), downloadPath('trees') + query, {});
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it('does not make up for a wrong header', async () => {
    const path = `${downloadPath('trees')}?authToken=token-a`;
    const response = await get(await start(), path, { authorization: 'Bearer wrong' });
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it('is not accepted by the other operations', async () => {
    const response = await get(await start(), `${metadataPath('trees')}?authToken=token-a`, {});
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });
});

describe('§4.3 get dataset results', () => {
  it.each([
    ['no body', ''],
    ['an empty filter', {}],
    ['an empty mo_ids', { mo_ids: [] }],
    ['an empty time_range', { time_range: {} }],
  ])('answers 200 with everything for %s', async (_case, filter) => {
    const response = await postFilter(await start(), filter);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(trees.results);
  });

  it('answers the same again', async () => {
    const simulator = await start();
    const first = await (await postFilter(simulator, {})).text();
    expect(await (await postFilter(simulator, {})).text()).toBe(first);
  });

  it('answers a dataset without results with no assets and no identifiers', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'one' } }] });
    expect(await (await post(simulator, resultsPath('one'), '{}')).json()).toEqual({ assets: [] });
  });

  it('rule 1: mo_ids restricts the assets, in all versions, and keeps the identifiers', async () => {
    const response = await postFilter(await start(), { mo_ids: ['oak', 'oak', 'unknown'] });
    expect(await response.json()).toEqual({ ...trees.results, assets: [oak, olderOak] });
  });

  it('rule 1: unknown assets are simply not in the response', async () => {
    expect(await assetsOf(await postFilter(await start(), { mo_ids: ['unknown'] }))).toEqual([]);
  });

  it('rule 2: time_range restricts the rows, both bounds inclusive, and leaves out assets without rows', async () => {
    const range = { start_date: day('2024-01-02'), stop_date: day('2024-01-02') };
    expect(await assetsOf(await postFilter(await start(), { time_range: range }))).toEqual([
      { ...oak, results: [row('2024-01-02', 2)] },
      { ...elm, results: [row('2024-01-02', 3)] },
    ]);
  });

  it.each([
    ['start_date', { start_date: day('2024-01-03') }, [{ ...elm, results: [row('2024-01-03', 4)] }]],
    ['stop_date', { stop_date: day('2024-01-01') - 1 }, [olderOak]],
  ])('rule 2: a range may have %s only', async (_bound, range, expected) => {
    expect(await assetsOf(await postFilter(await start(), { time_range: range }))).toEqual(expected);
  });

  it('applies both restrictions together', async () => {
    const filter = { mo_ids: ['elm'], time_range: { stop_date: day('2024-01-02') } };
    expect(await assetsOf(await postFilter(await start(), filter))).toEqual([
      { ...elm, results: [row('2024-01-02', 3)] },
    ]);
  });

  it.each([
    ['2024-01-01', true],
    ['2024-01', true],
    ['2024', true],
    ['2024-01-01T00:00:00', true],
    ['2024-01-01T00:00:00.000Z', true],
    ['2024-01-01T02:00:00+02:00', true],
    ['2024-01-01T02:00:00', false],
    ['2023-12-31T23:59:59.999Z', false],
    ['first of January', false],
    [null, false],
  ])('compares the value_date %s as a UTC instant', async (valueDate, inRange) => {
    const assets = [{ asset_id: 'one', results: [{ value_date: valueDate, metrics: [] }] }];
    const simulator = await start({ datasets: [{ metadata: { id: 'trees' }, results: { assets } }] });
    const range = { start_date: day('2024-01-01'), stop_date: day('2024-01-01') };
    expect(await assetsOf(await postFilter(simulator, { time_range: range }))).toEqual(inRange ? assets : []);
  });

  it('accepts the whole int64 range', async () => {
    const filter = '{"time_range":{"start_date":-9223372036854775808,"stop_date":9223372036854775807}}';
    expect(await assetsOf(await postFilter(await start(), filter))).toEqual([oak, olderOak, elm]);
  });

  it('ignores unknown fields of the filter', async () => {
    expect(await assetsOf(await postFilter(await start(), { moIds: ['elm'] }))).toHaveLength(3);
  });

  it.each(['{', 'oak', '\ufeff{}'])('answers 400 BAD_REQUEST to the body %j', async (body) => {
    await expectRefusal(await postFilter(await start(), body), 400, 'BAD_REQUEST');
  });

  it('answers 400 BAD_REQUEST to a body that is not application/json (§1)', async () => {
    const response = await post(await start(), resultsPath('trees'), '{}', { 'content-type': 'text/plain' });
    await expectRefusal(response, 400, 'BAD_REQUEST');
  });

  it.each([
    'null',
    '[]',
    '"oak"',
    '{"mo_ids":null}',
    '{"mo_ids":"oak"}',
    '{"mo_ids":["oak",1]}',
    '{"time_range":null}',
    '{"time_range":[]}',
    '{"time_range":{"start_date":null}}',
    '{"time_range":{"start_date":"2024-01-01"}}',
    '{"time_range":{"start_date":1.5}}',
    '{"time_range":{"start_date":-9223372036854775809}}',
    '{"time_range":{"stop_date":9223372036854775808}}',
    '{"time_range":{"start_date":2,"stop_date":1}}',
    '{"time_range":{"start_date":9007199254740993,"stop_date":9007199254740992}}',
  ])('answers 400 VALIDATION_EXCEPTION to the filter %s', async (filter) => {
    await expectRefusal(await postFilter(await start(), filter), 400, 'VALIDATION_EXCEPTION');
  });
});
