import type { ClientRequest } from 'node:http';
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
import type { Simulator } from '../src/simulator.ts';

async function statusOf(client: ClientRequest): Promise<number | undefined> {
  client.end();
  const answer = await responseTo(client);
  answer.resume();
  return answer.statusCode;
}

describe('§5 authentication', () => {
  const login = (simulator: Simulator, body: string, headers = {}) => post(simulator, '/v3/login', body, headers);

  it('hands out the token of the account, and the token opens the operations', async () => {
    const simulator = await start();
    const response = await login(simulator, JSON.stringify({ email: 'b@example.com', password: 'pass-b' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { token } = await bodyOf<{ token: string }>(response);
    expect(token).toBe('token-b');
    const metadata = await get(simulator, metadataPath('secret'), { authorization: `Bearer ${token}` });
    expect(await metadata.json()).toEqual(secret.metadata);
  });

  it.each([
    { email: 'a@example.com', password: 'pass-b' },
    { email: 'nobody@example.com', password: 'pass-a' },
  ])('answers 401 WRONG_CREDENTIALS to the login %o', async (credentials) => {
    await expectRefusal(await login(await start(), JSON.stringify(credentials)), 401, 'WRONG_CREDENTIALS');
  });

  it.each(['', '{', 'null', '[]', '{"email":"a@example.com"}', '{"email":"a@example.com","password":1}'])(
    'answers 400 BAD_REQUEST to the login body %j',
    async (body) => {
      await expectRefusal(await login(await start(), body), 400, 'BAD_REQUEST');
    },
  );

  it('answers 400 BAD_REQUEST to a login that is not application/json (§1)', async () => {
    const body = JSON.stringify({ email: 'a@example.com', password: 'pass-a' });
    const response = await login(await start(), body, { 'content-type': 'text/plain' });
    await expectRefusal(response, 400, 'BAD_REQUEST');
  });

  it.each([
    ['metadata', 'GET', metadataPath('trees')],
    ['download', 'GET', downloadPath('trees')],
    ['results', 'POST', resultsPath('trees')],
  ])('protects the %s operation', async (_operation, method, path) => {
    const response = await fetch((await start()).url + path, { method });
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it.each([
    ['unknown', 'Bearer wrong'],
    ['bare', 'token-a'],
    ['of another scheme', 'Basic token-a'],
    ['in another form', 'bearer token-a'],
    ['doubly prefixed', 'Bearer Bearer token-a'],
    ['empty', ''],
  ])('answers 401 WRONG_CREDENTIALS to a token that is %s', async (_case, authorization) => {
    await expectRefusal(await get(await start(), metadataPath('trees'), { authorization }), 401, 'WRONG_CREDENTIALS');
  });

  it('answers 401 to two Authorization headers', async () => {
    const authorization = ['Bearer token-a', 'Bearer token-a'];
    const simulator = await start();
    expect(await statusOf(open(simulator, metadataPath('trees'), { headers: { authorization } }))).toBe(401);
    expect(recordedBy(simulator).headers.authorization).toEqual(authorization);
  });
});

describe('§7 errors', () => {
  it.each([
    ['metadata', 'GET', metadataPath],
    ['download', 'GET', downloadPath],
    ['results', 'POST', resultsPath],
  ])('404 NOT_FOUND and 403 ACCESS_DENIED of the %s operation', async (_operation, method, path) => {
    const simulator = await start();
    const call = (id: string) => fetch(simulator.url + path(id), { method, headers: bearer });
    await expectRefusal(await call('unknown'), 404, 'NOT_FOUND');
    await expectRefusal(await call('secret'), 403, 'ACCESS_DENIED');
  });

  it.each([
    ['POST', metadataPath('trees'), 'GET', 'getDatasetMetadata'],
    ['POST', downloadPath('trees'), 'GET', 'downloadStaticDataset'],
    ['GET', resultsPath('trees'), 'POST', 'getDatasetResults'],
    ['GET', '/v3/login', 'POST', 'login'],
  ])('405 METHOD_NOT_ALLOWED to %s %s', async (method, path, allowed, operation) => {
    const simulator = await start();
    const response = await fetch(simulator.url + path, { method, headers: bearer });
    expect(response.headers.get('allow')).toBe(allowed);
    await expectRefusal(response, 405, 'METHOD_NOT_ALLOWED');
    expect(recordedBy(simulator)).toMatchObject({ operation, method });
  });

  it.each([
    '/',
    '/v1/collection/dataset/summary/',
    '/v1/collection/dataset/summary/trees/',
    '/v1/collection/dataset/summary/a/b',
    '/v2/collection/dataset/summary/trees',
    '/v1/collection/staticdataset/trees',
    '/v1/login',
  ])('404 NOT_FOUND to the unknown path %s', async (path) => {
    const simulator = await start();
    await expectRefusal(await get(simulator, path), 404, 'NOT_FOUND');
    expect(recordedBy(simulator).operation).toBeUndefined();
  });

  it('404 to a path with dot segments, which are not resolved', async () => {
    const target = '/v1/collection/dataset/summary/x/../trees';
    expect(await statusOf(open(await start(), target, { headers: bearer }))).toBe(404);
  });

  it.each(['%zz', '%', '%ff'])('400 BAD_REQUEST to the path parameter %s', async (parameter) => {
    const simulator = await start();
    await expectRefusal(await get(simulator, metadataPath(parameter)), 400, 'BAD_REQUEST');
    expect(recordedBy(simulator)).toMatchObject({ operation: 'getDatasetMetadata', datasetId: undefined });
  });
});
