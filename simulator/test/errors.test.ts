import { describe, expect, it } from 'vitest';
import {
  bearer,
  bodyOf,
  downloadPath,
  expectRefusal,
  get,
  metadataPath,
  open,
  post,
  recordedBy,
  responseTo,
  resultsPath,
  secret,
  start,
} from '../../test/support/simulator.ts';

const account = { email: 'b@example.com', password: 'pass-b' };

const operations = [
  ['GET', metadataPath],
  ['GET', downloadPath],
  ['POST', resultsPath],
] as const;

describe('§5 authentication', () => {
  it('hands out the token of the account, and the token opens the operations', async () => {
    const simulator = await start();
    const response = await post(simulator, '/v3/login', JSON.stringify(account));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const { token } = await bodyOf<{ token: string }>(response);
    expect(token).toBe('token-b');
    const metadata = await get(simulator, metadataPath('secret'), { authorization: `Bearer ${token}` });
    expect(await metadata.json()).toEqual(secret.metadata);
  });

  it.each([
    ['a wrong password', JSON.stringify({ ...account, password: 'pass-a' }), 'application/json', 401],
    ['an unknown account', JSON.stringify({ ...account, email: 'c@example.com' }), 'application/json', 401],
    ['no body', '', 'application/json', 400],
    ['no JSON', '{', 'application/json', 400],
    ['no object', '[]', 'application/json', 400],
    ['no text as password', '{"email":"a@example.com","password":1}', 'application/json', 400],
    ['another media type', JSON.stringify(account), 'text/plain', 400],
  ])('refuses a login with %s', async (_what, body, type, status) => {
    const response = await post(await start(), '/v3/login', body, { 'content-type': type });
    await expectRefusal(response, status, status === 401 ? 'WRONG_CREDENTIALS' : 'BAD_REQUEST');
  });

  it('protects each operation, and takes a token in one form only', async () => {
    const simulator = await start();
    for (const [method, path] of operations) {
      const response = await fetch(simulator.url + path('trees'), { method });
      await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
    }
    const wrong = ['Bearer wrong', 'token-a', 'Basic token-a', 'bearer token-a', 'Bearer Bearer token-a', ''];
    for (const authorization of wrong) {
      await expectRefusal(await get(simulator, metadataPath('trees'), { authorization }), 401, 'WRONG_CREDENTIALS');
    }
    const twice = ['Bearer token-a', 'Bearer token-a'];
    const client = open(simulator, metadataPath('trees'), { headers: { authorization: twice } }).end();
    expect((await responseTo(client)).resume().statusCode).toBe(401);
    expect(recordedBy(simulator).headers.authorization).toEqual(twice);
  });

  it('takes a token in the query parameter authToken for the download alone (§4.2, §4.4)', async () => {
    const simulator = await start();
    const path = `${downloadPath('trees')}?authToken=token-a`;
    expect((await get(simulator, path, {})).status).toBe(200);
    for (const [wrong, headers] of [
      [`${downloadPath('trees')}?authToken=wrong`, {}],
      [`${downloadPath('trees')}?authToken=`, {}],
      [`${path}&authToken=token-a`, {}],
      [path, { authorization: 'Bearer wrong' }],
      [`${metadataPath('trees')}?authToken=token-a`, {}],
    ] as const) {
      await expectRefusal(await get(simulator, wrong, headers), 401, 'WRONG_CREDENTIALS');
    }
  });
});

describe('§7 errors', () => {
  it('are 404 NOT_FOUND for an unknown dataset, and 403 ACCESS_DENIED for that of another account', async () => {
    const simulator = await start();
    for (const [method, path] of operations) {
      const call = (id: string) => fetch(simulator.url + path(id), { method, headers: bearer });
      await expectRefusal(await call('unknown'), 404, 'NOT_FOUND');
      await expectRefusal(await call('secret'), 403, 'ACCESS_DENIED');
    }
  });

  it.each([
    ['POST', metadataPath('trees'), 'GET', 'getDatasetMetadata'],
    ['POST', downloadPath('trees'), 'GET', 'downloadStaticDataset'],
    ['GET', resultsPath('trees'), 'POST', 'getDatasetResults'],
    ['GET', '/v3/login', 'POST', 'login'],
  ])('are 405 METHOD_NOT_ALLOWED for %s %s', async (method, path, allowed, operation) => {
    const simulator = await start();
    const response = await fetch(simulator.url + path, { method, headers: bearer });
    expect(response.headers.get('allow')).toBe(allowed);
    await expectRefusal(response, 405, 'METHOD_NOT_ALLOWED');
    expect(recordedBy(simulator)).toMatchObject({ operation, method });
  });

  it('are 404 NOT_FOUND for an unknown path, whose dot segments are not resolved', async () => {
    const simulator = await start();
    for (const path of ['/', metadataPath('trees/'), metadataPath('a/b'), metadataPath('trees').replace('v1', 'v2')]) {
      await expectRefusal(await get(simulator, path), 404, 'NOT_FOUND');
      expect(recordedBy(simulator).operation).toBeUndefined();
    }
    const client = open(simulator, metadataPath('x/../trees'), { headers: bearer }).end();
    expect((await responseTo(client)).resume().statusCode).toBe(404);
  });

  it('are 400 BAD_REQUEST for a path parameter that cannot be decoded', async () => {
    const simulator = await start();
    for (const parameter of ['%zz', '%', '%ff']) {
      await expectRefusal(await get(simulator, metadataPath(parameter)), 400, 'BAD_REQUEST');
      expect(recordedBy(simulator)).toMatchObject({ operation: 'getDatasetMetadata', datasetId: undefined });
    }
  });
});
