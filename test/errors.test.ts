import { setInterval as ticks, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import { type Answer, DATASET_ID, dataset, listen, type Setup, start, type TestBed } from './harness.ts';

const operations = ['getDatasetMetadata', 'getDatasetResults'] as const;
type Operation = (typeof operations)[number];

const selections: Record<Operation, string> = {
  getDatasetMetadata: 'name',
  getDatasetResults: 'results { processingId }',
};

const documentFor = (operation: Operation) =>
  `query ($id: ID!) {\n  dataset(id: $id) {\n    ${selections[operation]}\n  }\n}`;

const sentence = expect.stringMatching(/^["A-Z](?!.*[.!?] ).*\.$/);

const requestId = { 'x-request-id': 'request-1' };

function ask({ query }: TestBed, operation: Operation): Promise<Answer> {
  return query(documentFor(operation), { variables: { id: DATASET_ID }, headers: requestId });
}

/** What `ask` is answered when the operation fails; what `rest` leaves out is unknown. */
function failure(operation: Operation, code: string, rest: Record<string, unknown>) {
  const absent = operation === 'getDatasetMetadata' && ['UNAUTHENTICATED', 'NOT_FOUND'].includes(code);
  const field = operation === 'getDatasetMetadata' ? 'name' : 'results';
  const unknown = { status: null, label: null, labelSource: null, requestId: 'request-1', retryable: false };
  return {
    data: { dataset: absent ? null : { [field]: null } },
    errors: [
      {
        message: sentence,
        locations: [absent ? { line: 2, column: 3 } : { line: 3, column: 5 }],
        path: absent ? ['dataset'] : ['dataset', field],
        extensions: { code, rest: { operation, ...unknown, ...rest } },
      },
    ],
  };
}

/** Asks for the operation, and expects that it fails so, in one REST call. */
async function expectFailure(
  { setup, fault }: { setup?: Setup; fault?: Fault },
  operation: Operation,
  code: string,
  rest: Record<string, unknown>,
): Promise<void> {
  const bed = await start(setup);
  bed.simulator.intercept(() => fault);
  const { status, body } = await ask(bed, operation);
  expect(body).toEqual(failure(operation, code, rest));
  expect(status).toBe(200);
  if (fault !== undefined) expect(bed.calls()).toHaveLength(1);
}

async function* endless(): AsyncGenerator<string> {
  yield '{';
  await new Promise(() => {});
}

async function* drip(): AsyncGenerator<string> {
  for await (const _ of ticks(10)) yield ' ';
}

async function* inTwoChunks(first: string, second: string): AsyncGenerator<string> {
  yield first;
  yield second;
}

const allLabels = JSON.stringify([
  'BAD_REQUEST',
  'WRONG_CREDENTIALS',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'DUPLICATE_ENTITY',
  'INTERNAL_SERVER_ERROR',
]);

describe.each(operations)('4 Errors: %s', (operation) => {
  it.each([
    [400, 'BAD_REQUEST', 'BAD_USER_INPUT'],
    [400, 'VALIDATION_EXCEPTION', 'BAD_USER_INPUT'],
    [400, 'EXCEPTION', 'UPSTREAM_REJECTED'],
    [401, 'WRONG_CREDENTIALS', 'UNAUTHENTICATED'],
    [403, 'UNAUTHORIZED', 'FORBIDDEN'],
    [403, 'ACCESS_DENIED', 'FORBIDDEN'],
    [404, 'NOT_FOUND', 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED', 'UPSTREAM_CONTRACT_ERROR'],
    [409, 'DUPLICATE_ENTITY', 'CONFLICT'],
    [500, 'INTERNAL_SERVER_ERROR', 'UPSTREAM_ERROR'],
  ])('4 | %i %s -> %s', async (status, label, code) => {
    const fault = { status, body: JSON.stringify({ error: label }) };
    await expectFailure({ fault }, operation, code, { status, label, labelSource: 'body' });
  });

  it.each([
    [400, 'UPSTREAM_REJECTED', null],
    [401, 'UNAUTHENTICATED', 'WRONG_CREDENTIALS'],
    [403, 'FORBIDDEN', null],
    [404, 'NOT_FOUND', 'NOT_FOUND'],
    [405, 'UPSTREAM_CONTRACT_ERROR', 'METHOD_NOT_ALLOWED'],
    [409, 'CONFLICT', 'DUPLICATE_ENTITY'],
    [500, 'UPSTREAM_ERROR', 'INTERNAL_SERVER_ERROR'],
  ])('4 | %i without a label -> %s', async (status, code, label) => {
    const labelSource = label === null ? null : 'status';
    await expectFailure({ fault: { status, body: '' } }, operation, code, { status, label, labelSource });
  });

  it.each([501, 505, 507, 511, 599])('4 | other 5xx: %i -> UPSTREAM_ERROR', async (status) => {
    await expectFailure({ fault: { status, body: allLabels } }, operation, 'UPSTREAM_ERROR', { status });
  });

  it.each([502, 503, 504])('4 | %i -> UPSTREAM_UNAVAILABLE, retryable', async (status) => {
    const fault = { status, body: allLabels, headers: { 'retry-after': '5' } };
    await expectFailure({ fault }, operation, 'UPSTREAM_UNAVAILABLE', { status, retryable: true });
  });

  it.each([201, 202, 203, 204, 205, 206, 299, 300, 303, 304, 399, 402, 406, 408, 410, 418, 422, 428, 431, 451, 499])(
    '4 | another 2xx, 3xx or 4xx: %i -> UPSTREAM_INVALID_RESPONSE',
    async (status) => {
      const fault = status < 400 ? { status } : { status, body: allLabels };
      await expectFailure({ fault }, operation, 'UPSTREAM_INVALID_RESPONSE', { status });
    },
  );

  it.each([301, 302, 307, 308])('4 | redirect: %i -> UPSTREAM_INVALID_RESPONSE, and not followed', async (status) => {
    const elsewhere = await start();
    const fault = { status, headers: { location: `${elsewhere.simulator.url}/v1` } };
    await expectFailure({ fault }, operation, 'UPSTREAM_INVALID_RESPONSE', { status });
    expect(elsewhere.calls()).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['HTML', '<html><body>OK</body></html>'],
    ['cut off', '{"name": "Soil'],
    ['followed by more', '{} {}'],
    ['not UTF-8', Buffer.from('{"name":"\xe9"}', 'latin1')],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"name"'],
    ['a number', '1'],
  ])('4 | not JSON, wrong shape: a body that is %s -> UPSTREAM_INVALID_RESPONSE', async (_case, body) => {
    await expectFailure({ fault: { body } }, operation, 'UPSTREAM_INVALID_RESPONSE', { status: 200 });
  });

  it.each([
    ['in an encoding that was not asked for', { headers: { 'content-encoding': 'compress' } }],
    ['in an encoding named as a property is', { headers: { 'content-encoding': 'constructor' } }],
    ['encoded twice', { headers: { 'content-encoding': 'gzip, gzip' } }],
    ['encoded twice, in two headers', { headers: { 'content-encoding': ['gzip', 'gzip'] } }],
    ['not in the encoding that it names', { headers: { 'content-encoding': 'gzip' } }],
  ])('4 | not JSON, wrong shape: %s -> UPSTREAM_INVALID_RESPONSE', async (_case, fault) => {
    await expectFailure({ fault }, operation, 'UPSTREAM_INVALID_RESPONSE', { status: 200 });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH\r\n', null],
    ['with a head line without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', null],
    ['with a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', null],
    ['with a head too large', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, null],
    ['with a chunk of no length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}\r\n', 200],
  ])('4 | not JSON, wrong shape: %s -> UPSTREAM_INVALID_RESPONSE', async (_case, bytes, status) => {
    const serviceUrl = await listen((socket) => socket.once('data', () => socket.write(bytes)));
    await expectFailure({ setup: { serviceUrl } }, operation, 'UPSTREAM_INVALID_RESPONSE', { status });
  });

  it.each([
    ['announced by content-length', { body: `{"name":"${'x'.repeat(1000)}"}` }],
    ['found out while reading', { body: inTwoChunks('{"name":"', 'x'.repeat(1001)) }],
  ])('4 | larger than UPSTREAM_MAX_BYTES, %s -> UPSTREAM_RESPONSE_TOO_LARGE', async (_case, fault) => {
    const setup = { env: { UPSTREAM_MAX_BYTES: '1000' } };
    await expectFailure({ setup, fault }, operation, 'UPSTREAM_RESPONSE_TOO_LARGE', { status: 200 });
  });

  it('4 | no usable token -> UNAUTHENTICATED with the status null, without a call', async () => {
    const { query, calls } = await start();
    const { status, body } = await query(documentFor(operation), {
      variables: { id: DATASET_ID },
      token: null,
      headers: requestId,
    });
    expect(body).toEqual(failure(operation, 'UNAUTHENTICATED', {}));
    expect(status).toBe(200);
    expect(calls()).toEqual([]);
  });
});

describe.each(operations)('4 Errors: %s, 429 -> RATE_LIMITED, retryable', (operation) => {
  const limited = (retryAfter: string | string[], rest: Record<string, unknown>) =>
    expectFailure({ fault: { status: 429, headers: { 'retry-after': retryAfter } } }, operation, 'RATE_LIMITED', {
      status: 429,
      retryable: true,
      ...rest,
    });
  const inFuture = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it('has no retryAfterMs without a Retry-After', () => limited([], {}));

  it.each([
    ['0', 0],
    ['1', 1000],
    ['3600', 3_600_000],
    ['86400', 86_400_000],
  ])('has retryAfterMs for the Retry-After "%s"', (retryAfter, retryAfterMs) => limited(retryAfter, { retryAfterMs }));

  it('has retryAfterMs for a Retry-After with a date within a day', async () => {
    const before = Date.now();
    const retryAfterMs = expect.toSatisfy((wait: number) => {
      // The header has whole seconds, and the test takes its time.
      return wait <= 600_000 && wait >= 599_000 - (Date.now() - before);
    });
    await limited(inFuture(600), { retryAfterMs });
  });

  it.each([
    ['negative', '-1'],
    ['more than a day', '86401'],
    ['beyond every number', '9'.repeat(400)],
    ['a fraction', '1.5'],
    ['a text', 'soon'],
    ['empty', ''],
    ['given twice', ['5', '5']],
    ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT'],
    ['a date just past', inFuture(-5)],
    ['a date in more than a day', inFuture(2 * 86_400)],
  ])('has no retryAfterMs for a Retry-After that is %s', (_case, retryAfter) => limited(retryAfter, {}));
});

describe.each(operations)('4 Errors: %s, connection refused or broken -> UPSTREAM_UNAVAILABLE', (operation) => {
  const unavailable = (fault: Fault, status: number | null) =>
    expectFailure({ fault }, operation, 'UPSTREAM_UNAVAILABLE', { status, retryable: true });

  it('refused', async () => {
    const bed = await start();
    await bed.simulator.close();
    const { status, body } = await ask(bed, operation);
    expect(body).toEqual(failure(operation, 'UPSTREAM_UNAVAILABLE', { retryable: true }));
    expect(status).toBe(200);
  });

  it('reset before the answer', () => unavailable({ reset: true }, null));

  it('cut in the head', async () => {
    const serviceUrl = await listen((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-')));
    const rest = { retryable: true };
    await expectFailure({ setup: { serviceUrl } }, operation, 'UPSTREAM_UNAVAILABLE', rest);
  });

  it('cut in a body of a known length', () => unavailable({ cutAfterBytes: 10 }, 200));

  it('cut before the first byte of the body', () => unavailable({ cutAfterBytes: 0 }, 200));

  it('cut in a chunked body, even where what came is JSON', () =>
    unavailable({ body: inTwoChunks('{}', '   '), cutAfterBytes: 4 }, 200));

  it('cut in a chunked body, on a connection that was to be closed', () =>
    unavailable({ body: inTwoChunks('{}', '   '), cutAfterBytes: 4, headers: { connection: 'close' } }, 200));
});

describe.each(operations)('4 Errors: %s, too slow -> UPSTREAM_TIMEOUT', (operation) => {
  const tooSlow = async (env: Record<string, string>, fault: Fault, status: number | null) => {
    const started = performance.now();
    await expectFailure({ setup: { env }, fault }, operation, 'UPSTREAM_TIMEOUT', { status, retryable: true });
    const elapsed = performance.now() - started;
    expect(elapsed).toBeGreaterThan(100);
    expect(elapsed).toBeLessThan(5000);
  };

  it('no head within UPSTREAM_TIMEOUT_MS', () => tooSlow({ UPSTREAM_TIMEOUT_MS: '150' }, { hang: true }, null));

  it('no head but the informational ones within UPSTREAM_TIMEOUT_MS', async () => {
    const serviceUrl = await listen((socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    const setup = { serviceUrl, env: { UPSTREAM_TIMEOUT_MS: '150' } };
    await expectFailure({ setup }, operation, 'UPSTREAM_TIMEOUT', { retryable: true });
  });

  it('no head within OPERATION_TIMEOUT_MS', () => tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { hang: true }, null));

  it('a body that does not end within OPERATION_TIMEOUT_MS', () =>
    tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { body: endless() }, 200));

  it('a body that drips on and on', () => tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { body: drip() }, 200));

  it('closes the connection', async () => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '100' } });
    bed.simulator.intercept(() => ({ hang: true }));
    await ask(bed, operation);
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });

  it('limits only the head by UPSTREAM_TIMEOUT_MS', async () => {
    async function* late() {
      yield '{"name":"Late",';
      await wait(700);
      yield '"processing_id":"late"}';
    }
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '400' } });
    bed.simulator.intercept(() => ({ body: late() }));
    const { body } = await ask(bed, operation);
    const data = operation === 'getDatasetMetadata' ? { name: 'Late' } : { results: { processingId: 'late' } };
    expect(body).toEqual({ data: { dataset: data } });
  });
});

describe('4 Errors: the time of several calls', () => {
  const ids = ['d1', 'd2', 'd3', 'd4'];
  const datasets = ids.map((id) => ({ ...dataset, metadata: { id, name: id } }));
  const document = 'query ($ids: [ID!]!) { datasets(ids: $ids) { name } }';

  it('counts them together for OPERATION_TIMEOUT_MS, also those that never left', async () => {
    const env = { UPSTREAM_CONNECTIONS: '1', OPERATION_TIMEOUT_MS: '1000' };
    const { simulator, query, calls } = await start({ env, datasets });
    simulator.intercept(() => wait(600));
    const { body } = await query(document, { variables: { ids }, headers: requestId });
    expect(body).toEqual({
      data: { datasets: [{ name: 'd1' }, { name: null }, { name: null }, { name: null }] },
      errors: [1, 2, 3].map((index) => ({
        ...failure('getDatasetMetadata', 'UPSTREAM_TIMEOUT', { retryable: true }).errors[0],
        locations: [{ line: 1, column: 46 }],
        path: ['datasets', index, 'name'],
      })),
    });
    expect(calls()).toEqual(['d1', 'd2'].map((id) => `GET /v1/collection/dataset/summary/${id}`));
  });

  it('does not count the wait for a socket for UPSTREAM_TIMEOUT_MS', async () => {
    const env = { UPSTREAM_CONNECTIONS: '1', UPSTREAM_TIMEOUT_MS: '800' };
    const { simulator, query } = await start({ env, datasets });
    simulator.intercept(() => wait(300));
    const { body } = await query(document, { variables: { ids } });
    expect(body).toEqual({ data: { datasets: ids.map((name) => ({ name })) } });
  });
});

describe('4 Errors: rest is there exactly when the error concerns a REST operation', () => {
  const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;

  it.each([
    ['a dataset id', '{ dataset(id: "..") { name } }'],
    ['an asset id', inDataset('asset(assetId: "") { name }')],
    ['an asset id in a filter', inDataset('results(filter: { assetIds: [""] }) { processingId }')],
    ['a range without a bound', inDataset('results(filter: { timeRange: {} }) { processingId }')],
    [
      'a range that stops before it starts',
      inDataset('asset(assetId: "a") { series(timeRange: { start: 2, stop: 1 }) { version } }'),
    ],
    ['a negative count', inDataset('results { series(first: -1) { totalCount } }')],
    ['a cursor', inDataset('results { series(after: "x") { totalCount } }')],
    ['a reference', '{ _entities(representations: [{ __typename: "Dataset", id: 1 }]) { __typename } }'],
  ])('%s that is refused by ourselves: BAD_USER_INPUT without it', async (_case, document) => {
    const { query } = await start();
    const { status, body } = await query(document);
    expect(body.errors).toEqual([
      {
        message: sentence,
        locations: expect.any(Array),
        path: expect.any(Array),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(status).toBe(200);
  });

  it('DOWNLOAD_TOKEN_IN_URL=deny: FORBIDDEN without it', async () => {
    const { query } = await start();
    const { body } = await query(inDataset('download { url(auth: TOKEN_IN_URL) }'));
    expect(body).toEqual({
      data: { dataset: { download: { url: null } } },
      errors: [
        {
          message: sentence,
          locations: [{ line: 1, column: 68 }],
          path: ['dataset', 'download', 'url'],
          extensions: { code: 'FORBIDDEN' },
        },
      ],
    });
  });

  it('TOKEN_IN_URL without a token: UNAUTHENTICATED with the operation downloadStaticDataset', async () => {
    const { query, calls } = await start({ env: { DOWNLOAD_TOKEN_IN_URL: 'allow' } });
    const { body } = await query(inDataset('download { url(auth: TOKEN_IN_URL) }'), {
      token: null,
      headers: requestId,
    });
    const [error] = failure('getDatasetMetadata', 'UNAUTHENTICATED', { operation: 'downloadStaticDataset' }).errors;
    expect(body).toEqual({
      data: { dataset: { download: { url: null } } },
      errors: [{ ...error, locations: [{ line: 1, column: 68 }], path: ['dataset', 'download', 'url'] }],
    });
    expect(calls()).toEqual([]);
  });

  it.each(operations)(
    'more than UPSTREAM_MAX_CALLS: REQUEST_LIMIT_EXCEEDED with the operation %s',
    async (operation) => {
      const { query, calls } = await start({ env: { UPSTREAM_MAX_CALLS: '1' } });
      const first = `{ first: dataset(id: "${DATASET_ID}") { ${selections[operation]} }`;
      const document = documentFor(operation).replace('{', first);
      const { body } = await query(document, { variables: { id: 'other' }, headers: requestId });
      const { data, errors } = failure(operation, 'REQUEST_LIMIT_EXCEEDED', {});
      const answered = operation === 'getDatasetMetadata' ? dataset.metadata.name : { processingId: 'p-1' };
      expect(body).toEqual({ data: { first: { [errors[0]?.path[1] ?? '']: answered }, ...data }, errors });
      expect(calls()).toHaveLength(1);
    },
  );

  it('names a request id made by ourselves, where the caller has given none', async () => {
    const { query } = await start();
    const { headers, body } = await query('{ dataset(id: "unknown") { name } }');
    expect(body.errors[0].extensions.rest.requestId).toMatch(/^[\w-]{36}$/);
    expect(body.errors[0].extensions.rest.requestId).toBe(headers['x-request-id']);
  });
});

describe('4 Errors: HTTP status', () => {
  const json = 'application/json; charset=utf-8';
  const graphqlJson = 'application/graphql-response+json; charset=utf-8';
  const accepts = [
    [undefined, json],
    ['*/*', json],
    ['application/json', json],
    ['application/graphql-response+json', graphqlJson],
    ['application/graphql-response+json, application/json;q=0.9', graphqlJson],
    ['application/json, application/graphql-response+json;q=0.9', json],
  ] as const;
  // What routers send that name both; the quality of a type is that of the most specific range that has it.
  const equallyWelcome = [
    'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
    'application/graphql-response+json, */*',
    'application/graphql-response+json;q=0.5, Application/*; Q=0.5',
  ];

  const asked = async (accept: string | undefined, document: string, variables?: Record<string, unknown>) => {
    const { query, calls } = await start();
    const answer = await query(document, { ...(variables && { variables }), headers: { ...(accept && { accept }) } });
    return { ...answer, type: answer.headers['content-type'], calls: calls() };
  };

  it.each(accepts)('is 200 for what was executed, with errors or without: accept %s', async (accept, type) => {
    const document = `{ dataset(id: "${DATASET_ID}") { name } unknown: dataset(id: "unknown") { name } }`;
    expect(await asked(accept, document)).toMatchObject({
      status: 200,
      type,
      body: { data: { dataset: { name: 'Soil moisture' }, unknown: null }, errors: [{ path: ['unknown'] }] },
    });
  });

  describe.each([...accepts, ...equallyWelcome.map((accept) => [accept, json] as const)])(
    'of a variable that cannot be coerced: accept %s',
    (accept, type) => {
      const range =
        'query ($range: TimeRangeInput) { dataset(id: "d") { asset(assetId: "a") { series(timeRange: $range) { version } } } }';

      it.each([
        ['is missing', documentFor('getDatasetMetadata'), {}],
        ['is null', documentFor('getDatasetMetadata'), { id: null }],
        ['has another type', documentFor('getDatasetMetadata'), { id: { text: 'd' } }],
        ['has a scalar of another form', range, { range: { start: 'yesterday' } }],
        ['has an unknown field', range, { range: { begin: 1 } }],
      ])(`${type === json ? '200' : '400'} with BAD_USER_INPUT for one that %s`, async (_case, document, variables) => {
        const answer = await asked(accept, document, variables);
        expect(answer.body).toEqual({
          errors: [
            {
              message: expect.any(String),
              locations: [{ line: 1, column: 8 }],
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ],
        });
        expect(answer).toMatchObject({ status: type === json ? 200 : 400, type, calls: [] });
      });
    },
  );

  describe.each(accepts)('is 400: accept %s', (accept, type) => {
    it.each([
      ['that does not parse', '{ dataset(', 'GRAPHQL_PARSE_FAILED'],
      ['that does not validate', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['with a literal that cannot be coerced', '{ dataset(id: 1.5) { id } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['with two anonymous operations', '{ __typename } { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ])('for a document %s', async (_case, document, code) => {
      const { status, type: answered, body } = await asked(accept, document);
      expect(body).toEqual({ errors: body.errors.map(() => expect.objectContaining({ extensions: { code } })) });
      expect([status, answered]).toEqual([400, type]);
    });
  });
});

describe('4 Errors: no stack traces, whatever NODE_ENV says', () => {
  it.each(['production', 'development', 'test', undefined])('NODE_ENV=%s', async (nodeEnv) => {
    vi.stubEnv('NODE_ENV', nodeEnv);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bed = await start();
    bed.simulator.intercept(() => ({ reset: true }));
    const answers = await Promise.all([
      ask(bed, 'getDatasetMetadata'),
      ask(bed, 'getDatasetResults'),
      bed.query('{ dataset(id: "..") { name } }'),
      bed.query(documentFor('getDatasetMetadata'), { variables: {} }),
      bed.query('{ dataset('),
      bed.query('{ nothing }'),
      bed.http('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
      bed.http('/graphql?query={__typename}'),
      bed.http('/nowhere'),
    ]);
    const extensions = answers.flatMap(({ body }) =>
      body.errors.map((error: { extensions: object }) => error.extensions),
    );
    expect(extensions.map((each) => Object.keys(each))).toEqual([
      ['code', 'rest'],
      ['code', 'rest'],
      ...Array.from({ length: 7 }, () => ['code']),
    ]);
    expect(answers.map(({ text }) => text).join()).not.toMatch(/stacktrace|\bat .*:\d+|node_modules|\/src\//);
  });

  it.each(['production', 'development'])(
    'leaves introspection and Sandbox to INTROSPECTION: NODE_ENV=%s',
    async (nodeEnv) => {
      vi.stubEnv('NODE_ENV', nodeEnv);
      onTestFinished(() => void vi.unstubAllEnvs());
      const seen = async (INTROSPECTION: string) => {
        const { query, http } = await start({ env: { INTROSPECTION, EXPLORER: 'sandbox' } });
        const introspection = await query('{ __schema { queryType { name } } }');
        const page = await http('/graphql', { headers: { accept: 'text/html' } });
        return { schema: introspection.body.data?.__schema, sandbox: page.text.includes('embeddable-sandbox') };
      };
      expect(await seen('on')).toEqual({ schema: { queryType: { name: 'Query' } }, sandbox: true });
      expect(await seen('off')).toEqual({ schema: undefined, sandbox: false });
    },
  );
});
