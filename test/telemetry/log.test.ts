import { describe, expect, it } from 'vitest';
import { DATASET_ID, dataset, start, type TestBed } from '../support/harness.ts';
import { json, post, sendRaw } from '../support/http.ts';

/*
 * Clause 3.22 of docs/contract.md in detail.
 * The log has one structured line for each REST call: operation, status, label, milliseconds, bytes (of the body, as
 * received), and request id. For a failed call it also has the kind of failure and the connection's error code. It
 * never has a token, a URL or a body. `start` and `demo` print one line with the endpoint's URL, which says `localhost`
 * if `HOST` stands for all addresses, and one with the URL of the metrics, if there are any.
 */
describe('3.22 The log', () => {
  const NAME = `{ dataset(id: "${DATASET_ID}") { name } }`;
  const line = (call: object) => ({
    level: 30,
    time: expect.any(Number),
    pid: process.pid,
    hostname: expect.any(String),
    requestId: 'my-id',
    operation: 'getDatasetMetadata',
    label: null,
    milliseconds: expect.any(Number),
    msg: 'REST call',
    ...call,
  });
  const linesOf = ({ log }: TestBed) => log.map((text) => JSON.parse(text));
  const headers = { 'x-request-id': 'my-id' };

  it('has one line for each REST call', async () => {
    const bed = await start();
    await bed.query(`{ dataset(id: "${DATASET_ID}") { name } }`, { headers });
    const bytes = Buffer.byteLength(JSON.stringify(dataset.metadata));
    expect(linesOf(bed)).toEqual([line({ status: 200, bytes })]);
    bed.log.length = 0;
    await bed.query(`{ dataset(id: "${DATASET_ID}") { results { sourceId } } }`, { headers });
    const resultsBytes = Buffer.byteLength(JSON.stringify(dataset.results));
    expect(linesOf(bed)).toEqual([line({ operation: 'getDatasetResults', status: 200, bytes: resultsBytes })]);
  });

  it('has the status and the label of a refusal', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ status: 404, body: 'NOT_FOUND' }));
    await bed.query(NAME, { headers });
    expect(linesOf(bed)).toEqual([line({ status: 404, label: 'NOT_FOUND', bytes: 9, failure: 'httpError' })]);
  });

  it('says why there was no response', async () => {
    const late = await start({ env: { UPSTREAM_TIMEOUT_MS: '50' } });
    late.simulator.intercept(() => ({ hang: true }));
    await late.query(NAME, { headers });
    expect(linesOf(late)).toEqual([line({ status: null, bytes: 0, failure: 'timeout' })]);
    expect(linesOf(late)[0].milliseconds).toBeGreaterThanOrEqual(50);
    const broken = await start();
    broken.simulator.intercept(() => ({ reset: true }));
    await broken.query(NAME, { headers });
    expect(linesOf(broken)).toEqual([
      line({ status: null, bytes: 0, failure: 'unavailable', cause: expect.stringMatching(/^[A-Z_]+$/) }),
    ]);
  });

  it('has no line where no REST call was made', async () => {
    const bed = await start();
    await bed.http('/health/ready');
    await bed.http('/nope');
    await bed.query('{ __typename }');
    await bed.query(NAME, { token: null });
    expect(bed.log).toEqual([]);
  });

  it('holds no token, no URL query and no body, at the most talkative level, whatever fails', async () => {
    const bed = await start({ env: { LOG_LEVEL: 'trace', LOG_OPERATIONS: 'on', DOWNLOAD_TOKEN_IN_URL: 'allow' } });
    const query = `{ dataset(id: "canary-id") {
      name
      results(filter: { assetIds: ["canary-asset"] }) { sourceId }
      downloadUrlWithToken
    } }`;
    for (const fault of [
      {},
      { status: 400, body: 'canary' },
      { body: 'canary' },
      { body: '{"name":1}' },
      { reset: true },
    ]) {
      bed.simulator.intercept(() => fault);
      await bed.query(query, { token: 'canary-token' });
    }
    for (const document of ['canary', '{ canary }', 'query($canary: Int!) { __typename }']) {
      await bed.query(document, { token: 'canary-token', variables: { canary: 'canary' } });
    }
    await bed.http('/canary?canary=canary');
    await bed.http('/graphql?query=canary&authToken=canary', { headers: json });
    await bed.http('/%E0%A4%A?canary');
    await bed.http('/graphql', post('{"canary":'));
    await sendRaw(bed, 'canary\r\n\r\n');
    expect(bed.log.length).toBeGreaterThan(9);
    expect(bed.log.filter((text) => text.includes('canary'))).toEqual([]);
  });

  it.each([
    ['info', 1],
    ['warn', 0],
    ['silent', 0],
  ])('with LOG_LEVEL=%s has %i lines for a call', async (LOG_LEVEL, lines) => {
    const bed = await start({ env: { LOG_LEVEL } });
    await bed.query(NAME);
    expect(bed.calls()).toHaveLength(1);
    expect(bed.log).toHaveLength(lines);
  });
});
