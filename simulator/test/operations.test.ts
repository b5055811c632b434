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
  it('answers with DatasetMetadata as JSON, nulls included, by the decoded path parameter', async () => {
    const id = 'a/b ü?';
    const simulator = await start({ datasets: [trees, { metadata: { id } }] });
    const response = await get(simulator, metadataPath('trees'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual(trees.metadata);
    expect(await (await get(simulator, metadataPath(encodeURIComponent(id)))).json()).toEqual({ id });
    expect(recordedBy(simulator).datasetId).toBe(id);
  });
});

describe('§4.2 download static dataset', () => {
  it('answers with the bytes, their type, their length and the file name, or 404 without a file', async () => {
    const simulator = await start({ datasets: [trees, { metadata: { id: 'one' } }] });
    const response = await get(simulator, downloadPath('trees'));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '18',
      'content-disposition': 'attachment; filename="trees.csv"',
    });
    expect(await response.text()).toBe('tree,height\noak,2\n');
    await expectRefusal(await get(simulator, downloadPath('one')), 404, 'NOT_FOUND');
  });

  it.each([
    ['say "hi"\\.txt', 'attachment; filename="say \\"hi\\"\\\\.txt"'],
    ["größe (1)'*.csv", `attachment; filename="gr__e (1)'*.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29%27%2A.csv`],
    ['two\nlines', `attachment; filename="two_lines"; filename*=UTF-8''two%0Alines`],
  ])('writes the file name %j by RFC 6266', async (name, expected) => {
    const file = { name, contentType: 'text/plain', bytes: Buffer.from('x') };
    const simulator = await start({ datasets: [{ metadata: { id: 'one' }, file }] });
    const response = await get(simulator, downloadPath('one'));
    expect(response.headers.get('content-disposition')).toBe(expected);
  });
});

describe('§4.3 get dataset results', () => {
  it('answers with everything without a restriction', async () => {
    const simulator = await start({ datasets: [trees, { metadata: { id: 'one' } }] });
    for (const filter of ['', {}, { mo_ids: [] }, { time_range: {} }, { moIds: ['elm'] }]) {
      const response = await postFilter(simulator, filter);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await response.json()).toEqual(trees.results);
    }
    expect(await (await post(simulator, resultsPath('one'), '{}')).json()).toEqual({ assets: [] });
  });

  const second = { start_date: day('2024-01-02'), stop_date: day('2024-01-02') };
  const elmOn = (date: string, value: number) => ({ ...elm, results: [row(date, value)] });

  it.each<[string, unknown, SimulatedAsset[]]>([
    ['rule 1: the assets of mo_ids, in all versions', { mo_ids: ['oak', 'oak', 'unknown'] }, [oak, olderOak]],
    ['rule 1: no unknown assets', { mo_ids: ['unknown'] }, []],
    [
      'rule 2: the rows of time_range, both bounds inclusive, and no assets without rows',
      { time_range: second },
      [{ ...oak, results: [row('2024-01-02', 2)] }, elmOn('2024-01-02', 3)],
    ],
    ['rule 2: a first day only', { time_range: { start_date: day('2024-01-03') } }, [elmOn('2024-01-03', 4)]],
    ['rule 2: a last day only', { time_range: { stop_date: day('2024-01-01') - 1 } }, [olderOak]],
    ['both rules', { mo_ids: ['elm'], time_range: { stop_date: day('2024-01-02') } }, [elmOn('2024-01-02', 3)]],
    [
      'the whole int64 range',
      '{"time_range":{"start_date":-9223372036854775808,"stop_date":9223372036854775807}}',
      [oak, olderOak, elm],
    ],
  ])('restricts by %s, and keeps the identifiers', async (_rule, filter, assets) => {
    const response = await postFilter(await start(), filter);
    expect(await response.json()).toEqual({ ...trees.results, assets });
  });

  it('compares a value_date as a UTC instant', async () => {
    const inRange = ['2024-01-01', '2024-01', '2024', '2024-01-01T00:00:00', '2024-01-01T02:00:00+02:00'];
    const outside = ['2024-01-01T02:00:00', '2023-12-31T23:59:59.999Z', 'first of January', null];
    const assets = [...inRange, ...outside].map((value_date) => ({
      asset_id: String(value_date),
      results: [{ value_date, metrics: [] }],
    }));
    const simulator = await start({ datasets: [{ metadata: { id: 'trees' }, results: { assets } }] });
    const range = { start_date: day('2024-01-01'), stop_date: day('2024-01-01') };
    const found = await assetsOf(await postFilter(simulator, { time_range: range }));
    expect(found.map(({ asset_id }) => asset_id)).toEqual(inRange);
  });

  it('answers 400 BAD_REQUEST to a body that is not JSON, or of another media type (§1)', async () => {
    const simulator = await start();
    for (const body of ['{', 'oak', '\ufeff{}']) {
      await expectRefusal(await postFilter(simulator, body), 400, 'BAD_REQUEST');
    }
    const response = await post(simulator, resultsPath('trees'), '{}', { 'content-type': 'text/plain' });
    await expectRefusal(response, 400, 'BAD_REQUEST');
  });

  it.each([
    'null',
    '[]',
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
    '{"time_range":{"start_date":9007199254740993,"stop_date":9007199254740992}}',
  ])('answers 400 VALIDATION_EXCEPTION to the filter %s', async (filter) => {
    await expectRefusal(await postFilter(await start(), filter), 400, 'VALIDATION_EXCEPTION');
  });
});
