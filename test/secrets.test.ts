import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import { type Answer, listen, type Request, type Setup, start, type TestBed } from './harness.ts';

/** Words that nothing but what is meant holds, so that finding one is a leak. */
const TOKEN = 'canary.of.the.token';
const UPSTREAM = 'canary-of-the-service';
const DATASET_ID = 'canary-of-a-dataset-id';
const ASSET_ID = 'canary-of-an-asset-id';
const ID = 'canary-of-a';

const everything = `
  query ($id: ID!, $assetId: ID!, $entities: [_Any!]!) {
    dataset(id: $id) {
      name
      startDateTime
      results { processingId series { nodes { asset { name } results { valueDate } columns { rowCount } } } }
      filtered: results(filter: { assetIds: [$assetId] }) { series { totalCount } }
      asset(assetId: $assetId) { name series { version } ranged: series(timeRange: { start: 0 }) { version } }
      download { url method requiredHeaders secret: url(auth: TOKEN_IN_URL) }
    }
    datasets(ids: [$id, ".."]) { name results { sourceId } }
    _entities(representations: $entities) {
      ... on Dataset { name results { sourceId } }
      ... on Asset { name series { version } }
    }
  }
`;

const setup: Setup = {
  env: { LOG_LEVEL: 'trace' },
  accounts: [{ email: 'anna@example.com', password: 'secret', token: TOKEN }],
  datasets: [
    {
      metadata: { id: DATASET_ID, name: 'Soil moisture' },
      results: { assets: [{ asset_id: ASSET_ID, asset_name: 'Field', results: [{ value_date: '2024-01-01' }] }] },
    },
  ],
};

function ask({ query }: TestBed, { headers, ...request }: Request = {}): Promise<Answer> {
  return query(everything, {
    variables: {
      id: DATASET_ID,
      assetId: ASSET_ID,
      entities: [
        { __typename: 'Dataset', id: DATASET_ID },
        { __typename: 'Asset', datasetId: DATASET_ID, assetId: ASSET_ID },
        { __typename: 'Asset', datasetId: TOKEN.length },
      ],
    },
    token: TOKEN,
    headers: { 'apollo-federation-include-trace': 'ftv1', 'x-request-id': 'request', ...headers },
    ...request,
  });
}

/** Everything that an answer tells: its headers, its body, and its trace, which is encoded. */
function told({ headers, text, body }: Answer): string {
  const trace = Buffer.from(body?.extensions?.ftv1 ?? '', 'base64').toString('latin1');
  return [JSON.stringify(headers), text, trace].join('\n');
}

/** Expects that nobody is told of the token, nor the log of an id. */
function expectNoSecret({ log }: TestBed, answer: Answer): void {
  expect(told(answer)).not.toContain(TOKEN);
  expect(log.join()).not.toContain(TOKEN);
  expect(log.join()).not.toContain(ID);
  for (const line of log) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
}

/** Expects besides that nobody is told of what the service has sent, nor where it is. */
function expectNoTrace(bed: TestBed, answer: Answer, serviceUrl: string): void {
  expectNoSecret(bed, answer);
  expect(told(answer)).not.toContain(UPSTREAM);
  expect(bed.log.join()).not.toContain(UPSTREAM);
  expect(answer.body.errors.length).toBeGreaterThan(0);
  const { host, hostname, port } = new URL(serviceUrl);
  expect(JSON.stringify(answer.body.errors)).not.toContain(hostname);
  expect(JSON.stringify(answer.body.errors)).not.toContain(port);
  expect(bed.log.join()).not.toContain(host);
}

/** The head of an answer in which every header, and the reason, tells something. */
function head(status: number, authorization: string, framing: string): string {
  return [
    `HTTP/1.1 ${status} ${UPSTREAM} ${authorization}`,
    'connection: close',
    `server: ${UPSTREAM}`,
    `x-${UPSTREAM}: ${authorization}`,
    `set-cookie: ${UPSTREAM}=${authorization}`,
    `location: https://${UPSTREAM}.example/?authToken=${authorization}`,
    `www-authenticate: Bearer realm="${UPSTREAM}", error="${authorization}"`,
    `retry-after: ${UPSTREAM}`,
    `content-type: text/${UPSTREAM}`,
    framing,
    '\r\n',
  ].join('\r\n');
}

const whole = (status: number, authorization: string, body: string) =>
  head(status, authorization, `content-length: ${Buffer.byteLength(body)}`) + body;

const echo = (authorization: string) => JSON.stringify({ error: UPSTREAM, authorization });

/** A service that answers each request with these bytes, which may tell its Authorization header, and then leaves. */
function tellTale(answer: (authorization: string) => string, leaves: 'ends' | 'resets' | 'stays' = 'ends') {
  return listen((socket) => {
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk;
      const [, authorization] = /^authorization: ([^\r]*)\r\n.*\r\n\r\n/ims.exec(request) ?? [];
      if (authorization === undefined) return;
      request = '';
      socket.write(answer(authorization), () => {
        if (leaves === 'ends') socket.end();
        if (leaves === 'resets') socket.resetAndDestroy();
      });
    });
  });
}

describe('3.22, 4 What never leaks: the token and the ids', () => {
  it('where all goes well', async () => {
    const bed = await start(setup);
    const answer = await ask(bed);
    expect(answer.body.data).toMatchObject({
      dataset: { name: 'Soil moisture', asset: { name: 'Field' }, download: { secret: null } },
      datasets: [{ name: 'Soil moisture' }, null],
      _entities: [{ name: 'Soil moisture' }, { name: 'Field' }, null],
    });
    expectNoSecret(bed, answer);
  });

  it('where the caller wants the token in a URL, but for that URL', async () => {
    const bed = await start({ ...setup, env: { ...setup.env, DOWNLOAD_TOKEN_IN_URL: 'allow' } });
    const answer = await ask(bed);
    const { secret } = answer.body.data.dataset.download;
    expect(secret).toBe(`${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download?authToken=${TOKEN}`);
    expectNoSecret(bed, { ...answer, text: answer.text.replace(secret, '') });
  });

  it('where the service answers a shared call with assets that were not asked for', async () => {
    const bed = await start(setup);
    bed.simulator.intercept(() => ({ body: JSON.stringify({ assets: [{ asset_id: `${ID}nother` }] }) }));
    const document =
      'query ($id: ID!) { dataset(id: $id) { a: asset(assetId: "a") { name } b: asset(assetId: "b") { name } } }';
    const answer = await bed.query(document, { variables: { id: DATASET_ID }, token: TOKEN });
    expectNoSecret(bed, answer);
    expect(bed.log.filter((line) => JSON.parse(line).level === 40)).toHaveLength(1);
  });

  it.each([
    ['of another scheme', `Basic ${TOKEN}`],
    ['that is too long', `Bearer ${TOKEN}${'x'.repeat(8000)}`],
    ['with a space', `Bearer ${TOKEN} ${TOKEN}`],
    ['given twice', [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]],
    ['that nobody knows', `Bearer x${TOKEN}`],
  ])('where the token is one %s', async (_case, authorization) => {
    const bed = await start(setup);
    const answer = await ask(bed, { token: null, headers: { authorization } });
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'UNAUTHENTICATED' }) }),
    );
    expectNoSecret(bed, answer);
  });

  it.each([
    ['a path that is not there', `/${DATASET_ID}?token=${TOKEN}`, {}],
    [
      'a query string',
      `/graphql?query={dataset(id:"${DATASET_ID}"){name}}&token=${TOKEN}`,
      { 'apollo-require-preflight': '1' },
    ],
    [
      'a query string that is no query',
      `/graphql?query={${DATASET_ID}&token=${TOKEN}`,
      { 'apollo-require-preflight': '1' },
    ],
    ['a GET that CSRF prevention refuses', `/graphql?query={__typename}&token=${TOKEN}`, {}],
    ['a path that does not decode', `/%ff${DATASET_ID}`, {}],
  ])('where the request has %s', async (_case, path, headers) => {
    const bed = await start(setup);
    const answer = await bed.http(path, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
    expectNoSecret(bed, answer);
    expect(answer.body).toBeDefined();
  });

  it.each([
    ['is no JSON', 400, 'application/json', `{"query":"${TOKEN}`],
    ['is larger than 1 MB', 413, 'application/json', JSON.stringify({ query: TOKEN, padding: 'x'.repeat(2 ** 20) })],
    ['is of another type', 415, 'text/plain', TOKEN],
    ['does not parse', 400, 'application/json', JSON.stringify({ query: `{ dataset(` })],
  ])('where the request body %s', async (_case, expected, type, body) => {
    const bed = await start(setup);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
    const answer = await bed.http('/graphql', { method: 'POST', headers, body });
    expect(answer.status).toBe(expected);
    expectNoSecret(bed, answer);
  });

  it.each([
    [
      'a head line without a colon',
      `GET /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n${TOKEN}\r\n\r\n`,
    ],
    [
      'a control character in the token',
      `GET /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\u0001\r\n\r\n`,
    ],
    [
      'two lengths',
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ],
    [
      'a head too large',
      `GET /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}${'x'.repeat(70_000)}\r\n\r\n`,
    ],
    ['an unknown method', `${TOKEN} /graphql HTTP/1.1\r\n\r\n`],
    ['no HTTP', `${TOKEN}\r\n\r\n`],
  ])('where the request is not valid HTTP: %s', async (_case, bytes) => {
    const bed = await start(setup);
    const socket = connect(Number(new URL(bed.subgraph.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    const answer = await readText(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d .*\r\n\r\n\{"errors":\[.*\]\}$/s);
    expect(answer).not.toContain(TOKEN);
    expect(bed.log.join()).not.toContain(TOKEN);
    for (const line of bed.log) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
  });
});

describe('4 What never leaks: what a failing service sends, and where it is', () => {
  it.each([201, 204, 206, 301, 304, 400, 401, 402, 403, 404, 405, 409, 418, 429, 500, 501, 502, 503, 504])(
    'in an answer with the status %i',
    async (status) => {
      const serviceUrl = await tellTale((authorization) => whole(status, authorization, echo(authorization)));
      const bed = await start({ ...setup, serviceUrl });
      const answer = await ask(bed);
      expectNoTrace(bed, answer, serviceUrl);
      expect(answer.body.errors).toContainEqual(
        expect.objectContaining({ extensions: expect.objectContaining({ rest: expect.objectContaining({ status }) }) }),
      );
    },
  );

  it.each<[string, (authorization: string) => string]>([
    ['that is no JSON', (authorization) => whole(200, authorization, `${UPSTREAM} ${authorization}`)],
    ['that is JSON of another shape', (authorization) => whole(200, authorization, `[${echo(authorization)}]`)],
    [
      'with fields of other types',
      (authorization) => {
        const wrong = [UPSTREAM, { [UPSTREAM]: authorization }];
        const asset = { asset_id: ASSET_ID, asset_name: wrong, asset_version: UPSTREAM, results: UPSTREAM };
        const fields = { name: wrong, start_date: UPSTREAM, processing_id: wrong, source_id: wrong };
        return whole(200, authorization, JSON.stringify({ ...fields, assets: [asset, UPSTREAM, wrong] }));
      },
    ],
    ['larger than accepted', (authorization) => whole(200, authorization, UPSTREAM.repeat(1000))],
    ['in an unknown encoding', (authorization) => head(200, authorization, `content-encoding: ${UPSTREAM}`)],
    [
      'in another encoding',
      (authorization) => head(200, authorization, 'content-encoding: gzip') + echo(authorization),
    ],
    ['with a head too large', (authorization) => head(200, authorization, `x: ${UPSTREAM.repeat(10_000)}`)],
    ['with a length that is none', (authorization) => head(200, authorization, `content-length: ${UPSTREAM}`)],
    ['with a bad chunk', (authorization) => `${head(200, authorization, 'transfer-encoding: chunked')}${UPSTREAM}\r\n`],
    ['with a head line without a colon', (authorization) => head(200, authorization, UPSTREAM)],
    ['that is no HTTP', (authorization) => `${UPSTREAM} ${authorization}\r\n\r\n`],
    ['that ends in its head', (authorization) => head(200, authorization, '').slice(0, 150)],
    ['that ends in its body', (authorization) => head(200, authorization, 'content-length: 999') + echo(authorization)],
  ])('in an answer %s', async (_case, bytes) => {
    const serviceUrl = await tellTale(bytes);
    const bed = await start({ ...setup, serviceUrl, env: { ...setup.env, UPSTREAM_MAX_BYTES: '1000' } });
    expectNoTrace(bed, await ask(bed), serviceUrl);
  });

  it.each([
    ['is reset', 'resets'],
    ['never ends', 'stays'],
  ] as const)('in an answer that %s', async (_case, leaves) => {
    const unfinished = (authorization: string) => head(200, authorization, 'content-length: 999') + echo(authorization);
    const serviceUrl = await tellTale(unfinished, leaves);
    const bed = await start({ ...setup, serviceUrl, env: { ...setup.env, OPERATION_TIMEOUT_MS: '200' } });
    expectNoTrace(bed, await ask(bed), serviceUrl);
  });

  it('where there is no service', async () => {
    const bed = await start(setup);
    await bed.simulator.close();
    expectNoTrace(bed, await ask(bed), bed.simulator.url);
  });

  it('where no further call may be made', async () => {
    const bed = await start({ ...setup, env: { ...setup.env, UPSTREAM_MAX_CALLS: '1' } });
    bed.simulator.intercept(() => ({ status: 500, body: UPSTREAM }));
    expectNoTrace(bed, await ask(bed), bed.simulator.url);
  });

  it('in a trace, which tells of the fields and of no error', async () => {
    const bed = await start(setup);
    bed.simulator.intercept(() => ({ status: 500, body: UPSTREAM }));
    const { body } = await ask(bed);
    const trace = Buffer.from(body.extensions.ftv1, 'base64').toString('latin1');
    expect(trace).toContain('startDateTime');
    expect(trace).toContain('<masked>');
    for (const { message } of body.errors) expect(trace).not.toContain(message);
  });
});

describe('3.22 The log', () => {
  const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
  const bytes = Buffer.byteLength(JSON.stringify(setup.datasets?.[0]?.metadata));

  it.each<[string, Fault | undefined, Record<string, unknown>]>([
    ['that was answered', undefined, { status: 200, bytes }],
    [
      'that was refused',
      { status: 404, body: 'NOT_FOUND' },
      { status: 404, label: 'NOT_FOUND', bytes: 9, failure: 'refused' },
    ],
    ['that was refused without a label', { status: 400, body: 'no' }, { status: 400, bytes: 2, failure: 'refused' }],
    ['that was redirected', { status: 302, body: '' }, { status: 302, failure: 'invalidResponse' }],
    ['that was too slow', { hang: true }, { failure: 'timeout' }],
    ['that was reset', { reset: true }, { failure: 'unavailable', cause: expect.stringMatching(/^[A-Z_]+$/) }],
    [
      'that was cut off',
      { cutAfterBytes: 5 },
      { status: 200, bytes: 5, failure: 'unavailable', cause: 'UND_ERR_SOCKET' },
    ],
    ['whose answer was too large', { body: 'x'.repeat(1001) }, { status: 200, failure: 'responseTooLarge' }],
  ])('has one line for a call %s, and in it nothing else', async (_case, fault, expected) => {
    const env = { UPSTREAM_TIMEOUT_MS: '200', UPSTREAM_MAX_BYTES: '1000' };
    const { simulator, query, log } = await start({ ...setup, env });
    simulator.intercept(() => fault);
    await query(document, { token: TOKEN, headers: { 'x-request-id': 'request-1' } });
    expect(log.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: process.pid,
        hostname: expect.any(String),
        msg: 'REST call',
        operation: 'getDatasetMetadata',
        requestId: 'request-1',
        status: null,
        label: null,
        milliseconds: expect.any(Number),
        bytes: 0,
        ...expected,
      },
    ]);
  });

  it('has a line for each call, and none for what needs no call', async () => {
    const { query, log, calls } = await start({ ...setup, env: {} });
    await query('{ __typename }', { token: TOKEN });
    await query('{ nothing }', { token: TOKEN });
    await query(document, { token: null });
    expect(log).toEqual([]);
    await query(`{ dataset(id: "${DATASET_ID}") { name results { processingId } } }`, { token: TOKEN });
    expect(log.map((line) => JSON.parse(line).operation).sort()).toEqual(['getDatasetMetadata', 'getDatasetResults']);
    expect(calls()).toHaveLength(2);
  });
});
