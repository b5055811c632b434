import { gzipSync } from 'node:zlib';
import type { Fault, Simulator } from '../../../src/simulator/simulator.ts';
import { listen, startService } from '../../harness.ts';
import { canaries } from './canaries.ts';

const { token, datasetId, assetId, service: told } = canaries;

/** A service, settings, and what comes of them; a new fault, limit or setting is a line of `fixtures`. */
export interface Fixture {
  readonly title: string;
  /** Starts the service for one test; gives its URL. */
  readonly service: () => Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** The code and the REST status of the error that a metadata query gets; undefined where it gets none. */
  readonly error?: { code: string; status: number | null };
  /** A code that some operation gets, where that is what the scene is about. */
  readonly code?: string;
}

/** A service as it should be, or one that fails in this way. */
function simulated(
  title: string,
  fault?: Fault | ((simulator: Simulator) => void),
  fixture?: Partial<Fixture>,
): Fixture {
  const service = async () => {
    const simulator = await startService({
      accounts: [
        { email: canaries.email, password: canaries.password, token },
        { email: 'bert@example.com', password: 'secret', token: 'token-of-a-bystander' },
      ],
      datasets: [
        {
          metadata: { id: datasetId, name: 'Soil moisture' },
          results: { assets: [{ asset_id: assetId, asset_name: 'Field', results: [{ value_date: '2024-01-01' }] }] },
        },
        { metadata: { id: 'of-a-bystander', name: 'Snow' }, readers: ['token-of-a-bystander'] },
      ],
    });
    if (typeof fault === 'function') fault(simulator);
    else if (fault !== undefined) simulator.intercept(() => fault);
    return simulator.url;
  };
  return { title, service, ...fixture };
}

/** The head of an answer in which every header, and the reason, tells something. */
function head(status: number, authorization: string, framing: string): string {
  return [
    `HTTP/1.1 ${status} ${told} ${authorization}`,
    'connection: close',
    `server: ${told}`,
    `x-${told}: ${authorization}`,
    `set-cookie: ${told}=${authorization}`,
    `location: https://${told}.example/?authToken=${authorization}`,
    `www-authenticate: Bearer realm="${told}", error="${authorization}"`,
    `retry-after: ${told}`,
    `content-type: text/${told}`,
    framing,
    '\r\n',
  ].join('\r\n');
}

const whole = (status: number, authorization: string, body: string | Buffer, framing = '') =>
  Buffer.concat([
    Buffer.from(head(status, authorization, `content-length: ${Buffer.byteLength(body)}${framing}`)),
    Buffer.from(body),
  ]);

const echo = (authorization: string) => JSON.stringify({ error: told, authorization, datasetId, assetId });

/** A service that answers each request with these bytes, which may tell its Authorization header, and then leaves. */
function tellTale(
  title: string,
  error: Fixture['error'],
  response: (authorization: string) => string | Buffer,
  { leaves = 'ends', env = {} }: { leaves?: 'ends' | 'resets' | 'stays'; env?: Fixture['env'] } = {},
): Fixture {
  const service = () =>
    listen((socket) => {
      let request = '';
      socket.on('data', (chunk) => {
        request += chunk;
        const [, authorization] = /^authorization: ([^\r]*)\r\n.*\r\n\r\n/ims.exec(request) ?? [];
        if (authorization === undefined) return;
        request = '';
        socket.write(response(authorization), () => {
          if (leaves === 'ends') socket.end();
          if (leaves === 'resets') socket.resetAndDestroy();
        });
      });
    });
  return { title, service, env: { UPSTREAM_MAX_BYTES: '1000', ...env }, ...(error && { error }) };
}

const unfinished = (authorization: string) => head(200, authorization, 'content-length: 999') + echo(authorization);
const error = (code: string, status: number | null = 200) => ({ code, status });
const unreadable = error('UPSTREAM_INVALID_RESPONSE');
const unreachable = error('UPSTREAM_UNAVAILABLE', null);

const codesOfStatuses: Record<number, string> = {
  201: 'UPSTREAM_INVALID_RESPONSE',
  204: 'UPSTREAM_INVALID_RESPONSE',
  206: 'UPSTREAM_INVALID_RESPONSE',
  301: 'UPSTREAM_INVALID_RESPONSE',
  302: 'UPSTREAM_INVALID_RESPONSE',
  304: 'UPSTREAM_INVALID_RESPONSE',
  307: 'UPSTREAM_INVALID_RESPONSE',
  400: 'UPSTREAM_REJECTED',
  401: 'UNAUTHENTICATED',
  402: 'UPSTREAM_INVALID_RESPONSE',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'UPSTREAM_CONTRACT_ERROR',
  409: 'CONFLICT',
  418: 'UPSTREAM_INVALID_RESPONSE',
  429: 'RATE_LIMITED',
  500: 'UPSTREAM_ERROR',
  501: 'UPSTREAM_ERROR',
  502: 'UPSTREAM_UNAVAILABLE',
  503: 'UPSTREAM_UNAVAILABLE',
  504: 'UPSTREAM_UNAVAILABLE',
};

/** Lists and objects so deep that reading them by recursion would fail. */
const deep = (authorization: string) => `${'['.repeat(100_000)}"${told} ${authorization}"${']'.repeat(100_000)}`;

export const fixtures: readonly Fixture[] = [
  // Settings.
  simulated('all goes well', undefined, { code: 'FORBIDDEN' }),
  simulated('all goes well, the generic path', undefined, { env: { RESULTS_FAST_PATH: 'off' } }),
  simulated('the token is allowed in a URL', undefined, { env: { DOWNLOAD_TOKEN_IN_URL: 'allow' } }),
  simulated('introspection is off', undefined, { env: { INTROSPECTION: 'off' } }),
  simulated('types have a prefix', undefined, { env: { TYPE_PREFIX: 'Foo' } }),
  simulated('pages of the web may query', undefined, { env: { CORS_ORIGINS: 'https://a.example' } }),
  simulated('others than this host can reach it', undefined, {
    env: { HOST: '0.0.0.0', PUBLIC_URL: 'https://data.example' },
  }),
  // Limits.
  simulated(
    'no further call may be made',
    { status: 500, body: told },
    {
      env: { UPSTREAM_MAX_CALLS: '1' },
      error: error('UPSTREAM_ERROR', 500),
    },
  ),
  simulated('one asset id in a call', undefined, { env: { ASSET_IDS_PER_CALL: '1' } }),
  simulated('one connection', undefined, { env: { UPSTREAM_CONNECTIONS: '1' } }),
  simulated(
    'no time for the head of an answer',
    { hang: true },
    {
      env: { UPSTREAM_TIMEOUT_MS: '100' },
      error: error('UPSTREAM_TIMEOUT', null),
    },
  ),
  simulated(
    'no time for the operation',
    { hang: true },
    {
      // The second is for downloads.
      env: { OPERATION_TIMEOUT_MS: '100', UPSTREAM_TIMEOUT_MS: '1000' },
      error: error('UPSTREAM_TIMEOUT', null),
    },
  ),
  tellTale('a larger answer than is accepted', error('UPSTREAM_RESPONSE_TOO_LARGE'), (authorization) =>
    whole(200, authorization, told.repeat(1000)),
  ),
  tellTale('a larger answer than is accepted, compressed', error('UPSTREAM_RESPONSE_TOO_LARGE'), (authorization) =>
    whole(200, authorization, gzipSync(told.repeat(1000)), '\r\ncontent-encoding: gzip'),
  ),
  tellTale(
    'no repetition, no breaker',
    error('UPSTREAM_UNAVAILABLE', 503),
    (authorization) => whole(503, authorization, echo(authorization)),
    {
      env: { UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '0' },
    },
  ),
  simulated(
    'one call waits for a connection',
    { hang: true },
    {
      env: { UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE: '1', UPSTREAM_TIMEOUT_MS: '100' },
      error: error('UPSTREAM_TIMEOUT', null),
      code: 'UPSTREAM_UNAVAILABLE',
    },
  ),
  simulated('hardly any tokens in a document', undefined, {
    env: { MAX_DOCUMENT_TOKENS: '20' },
    code: 'REQUEST_LIMIT_EXCEEDED',
  }),
  simulated('no aliases', undefined, { env: { MAX_ALIASES: '0' }, code: 'REQUEST_LIMIT_EXCEEDED' }),
  simulated('one entity reference', undefined, { env: { MAX_REPRESENTATIONS: '1' }, code: 'REQUEST_LIMIT_EXCEEDED' }),
  simulated('two operations at a time', undefined, { env: { MAX_OPERATIONS: '2' }, code: 'OVERLOADED' }),
  simulated('two connections', undefined, { env: { MAX_CONNECTIONS: '2' }, code: 'OVERLOADED' }),
  // Faults of the service.
  ...Object.entries(codesOfStatuses).map(([status, code]) =>
    tellTale(`the status ${status}`, error(code, Number(status)), (authorization) =>
      whole(Number(status), authorization, echo(authorization)),
    ),
  ),
  simulated('assets that were not asked for', (simulator) =>
    simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults' ? { body: '{"assets":[{"asset_id":"another"}]}' } : undefined,
    ),
  ),
  simulated('there is no service', (simulator) => void simulator.close(), { error: unreachable }),
  simulated('a reset', { reset: true }, { error: unreachable }),
  tellTale('no JSON', unreadable, (authorization) => whole(200, authorization, `${told} ${authorization}`)),
  tellTale('an empty body', unreadable, (authorization) => whole(200, authorization, '')),
  tellTale('HTML', unreadable, (authorization) => whole(200, authorization, `<p>${told} ${authorization}</p>`)),
  tellTale('JSON cut short', unreadable, (authorization) =>
    whole(200, authorization, echo(authorization).slice(0, -9)),
  ),
  tellTale('JSON of another shape', unreadable, (authorization) =>
    whole(200, authorization, `[${echo(authorization)}]`),
  ),
  tellTale('JSON too deep', unreadable, (authorization) => whole(200, authorization, deep(authorization)), {
    env: { UPSTREAM_MAX_BYTES: '1000000' },
  }),
  tellTale('fields of other types', unreadable, (authorization) => {
    const wrong = [told, { [told]: authorization }];
    const asset = { asset_id: assetId, asset_name: wrong, asset_version: told, results: told };
    const fields = { name: wrong, start_date: told, processing_id: wrong, source_id: wrong };
    return whole(200, authorization, JSON.stringify({ ...fields, assets: [asset, told, wrong] }));
  }),
  tellTale('an unknown encoding', unreadable, (authorization) => head(200, authorization, `content-encoding: ${told}`)),
  tellTale(
    'another encoding than it says',
    unreadable,
    (authorization) => head(200, authorization, 'content-encoding: gzip') + echo(authorization),
  ),
  tellTale('a head too large', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    head(200, authorization, `x: ${told.repeat(10_000)}`),
  ),
  tellTale('a length that is none', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    head(200, authorization, `content-length: ${told}`),
  ),
  tellTale(
    'a bad chunk',
    unreadable,
    (authorization) => `${head(200, authorization, 'transfer-encoding: chunked')}${told}\r\n`,
  ),
  tellTale('a head line without a colon', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    head(200, authorization, told),
  ),
  tellTale('no HTTP', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) => `${told} ${authorization}\r\n\r\n`),
  tellTale('an end in the head', unreachable, (authorization) => head(200, authorization, '').slice(0, 150)),
  tellTale('an end in the body', error('UPSTREAM_UNAVAILABLE'), unfinished),
  tellTale('a reset in the body', error('UPSTREAM_UNAVAILABLE'), unfinished, { leaves: 'resets' }),
  tellTale('a body that never ends', error('UPSTREAM_TIMEOUT'), unfinished, {
    leaves: 'stays',
    env: { OPERATION_TIMEOUT_MS: '100', UPSTREAM_TIMEOUT_MS: '1000' },
  }),
];
