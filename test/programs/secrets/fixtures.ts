import { gzipSync } from 'node:zlib';
import type { Fault, Simulator } from '../../../simulator/src/simulator.ts';
import { listen, startService } from '../../support/harness.ts';
import { canaries } from './canaries.ts';

const { token, datasetId, assetId, service: serviceText } = canaries;

/** A service, settings, and their effect. Add new faults, limits and settings to `fixtures`. */
export interface Fixture {
  readonly title: string;
  /** Starts the service for one test. Returns its URL. */
  readonly service: () => Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** The code and the REST status of the error of a metadata query; undefined if it has none. */
  readonly error?: { code: string; status: number | null };
  /** A code that some operation must get. */
  readonly code?: string;
}

/** A simulated service, optionally with a fault. */
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

/** The start of a response with secrets in every header and in the reason phrase. */
function responseStart(status: number, authorization: string, framing: string): string {
  return [
    `HTTP/1.1 ${status} ${serviceText} ${authorization}`,
    'connection: close',
    `server: ${serviceText}`,
    `x-${serviceText}: ${authorization}`,
    `set-cookie: ${serviceText}=${authorization}`,
    `location: https://${serviceText}.example/?authToken=${authorization}`,
    `www-authenticate: Bearer realm="${serviceText}", error="${authorization}"`,
    `retry-after: ${serviceText}`,
    `content-type: text/${serviceText}`,
    framing,
    '\r\n',
  ].join('\r\n');
}

const whole = (status: number, authorization: string, body: string | Buffer, framing = '') =>
  Buffer.concat([
    Buffer.from(responseStart(status, authorization, `content-length: ${Buffer.byteLength(body)}${framing}`)),
    Buffer.from(body),
  ]);

const echo = (authorization: string) => JSON.stringify({ error: serviceText, authorization, datasetId, assetId });

/** A service that sends these bytes as each response, with the request's Authorization header, and then disconnects. */
function leaking(
  title: string,
  error: Fixture['error'],
  response: (authorization: string) => string | Buffer,
  { after = 'end', env = {} }: { after?: 'end' | 'reset' | 'stay open'; env?: Fixture['env'] } = {},
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
          if (after === 'end') socket.end();
          if (after === 'reset') socket.resetAndDestroy();
        });
      });
    });
  return { title, service, env: { UPSTREAM_MAX_BYTES: '1000', ...env }, ...(error && { error }) };
}

const unfinished = (authorization: string) =>
  responseStart(200, authorization, 'content-length: 999') + echo(authorization);
const error = (code: string, status: number | null = 200) => ({ code, status });
const unreadable = error('UPSTREAM_INVALID_RESPONSE');
const unreachable = error('UPSTREAM_UNAVAILABLE', null);
const late = { error: error('UPSTREAM_TIMEOUT', null) };
const shortly = { OPERATION_TIMEOUT_MS: '100', UPSTREAM_TIMEOUT_MS: '1000' };

const codesOfStatuses: Record<number, string> = {
  204: 'UPSTREAM_INVALID_RESPONSE',
  302: 'UPSTREAM_INVALID_RESPONSE',
  400: 'UPSTREAM_REJECTED',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'UPSTREAM_CONTRACT_ERROR',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  500: 'UPSTREAM_ERROR',
  503: 'UPSTREAM_UNAVAILABLE',
};

/** Lists too deep for a recursive parser. */
const deep = (authorization: string) => `${'['.repeat(100_000)}"${serviceText} ${authorization}"${']'.repeat(100_000)}`;

export const fixtures: readonly Fixture[] = [
  // Settings.
  simulated('no fault', undefined, { code: 'FORBIDDEN' }),
  ...[
    { DOWNLOAD_TOKEN_IN_URL: 'allow' },
    { INTROSPECTION: 'off' },
    { SCHEMA_NAMES: 'AssetSeries:Series' },
    { CORS_ORIGINS: 'https://a.example' },
    { HOST: '0.0.0.0', PUBLIC_URL: 'https://data.example' },
  ].map((env) => simulated(`the setting ${Object.entries(env)}`, undefined, { env })),
  // Limits.
  simulated(
    'no further call may be made',
    { status: 500, body: serviceText },
    {
      env: { UPSTREAM_MAX_CALLS: '1' },
      error: error('UPSTREAM_ERROR', 500),
    },
  ),
  simulated('one asset id in a call', undefined, { env: { ASSET_IDS_PER_CALL: '1' } }),
  simulated('one connection', undefined, { env: { UPSTREAM_CONNECTIONS: '1' } }),
  simulated('no time for the headers of a response', { hang: true }, { env: { UPSTREAM_TIMEOUT_MS: '100' }, ...late }),
  // The second is for downloads.
  simulated('no time for the operation', { hang: true }, { env: shortly, ...late }),
  leaking('a response larger than accepted', error('UPSTREAM_RESPONSE_TOO_LARGE'), (authorization) =>
    whole(200, authorization, serviceText.repeat(1000)),
  ),
  leaking('a response larger than accepted, compressed', error('UPSTREAM_RESPONSE_TOO_LARGE'), (authorization) =>
    whole(200, authorization, gzipSync(serviceText.repeat(1000)), '\r\ncontent-encoding: gzip'),
  ),
  leaking(
    'no retry, no circuit breaker',
    error('UPSTREAM_UNAVAILABLE', 503),
    (authorization) => whole(503, authorization, echo(authorization)),
    { env: { UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '0' } },
  ),
  simulated(
    'one call waits for a connection',
    { hang: true },
    {
      env: { UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE: '1', UPSTREAM_TIMEOUT_MS: '100' },
      code: 'UPSTREAM_UNAVAILABLE',
      ...late,
    },
  ),
  ...(
    [
      ['REQUEST_LIMIT_EXCEEDED', { MAX_DOCUMENT_TOKENS: '20' }],
      ['REQUEST_LIMIT_EXCEEDED', { MAX_ALIASES: '0' }],
      ['REQUEST_LIMIT_EXCEEDED', { MAX_REPRESENTATIONS: '1' }],
      ['OVERLOADED', { MAX_OPERATIONS: '2' }],
      ['OVERLOADED', { MAX_CONNECTIONS: '2' }],
    ] as const
  ).map(([code, env]) => simulated(`the limit ${Object.entries(env)}`, undefined, { env, code })),
  // Faults of the service.
  ...Object.entries(codesOfStatuses).map(([status, code]) =>
    leaking(`the status ${status}`, error(code, Number(status)), (authorization) =>
      whole(Number(status), authorization, echo(authorization)),
    ),
  ),
  simulated('assets that were not requested', (simulator) =>
    simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults' ? { body: '{"assets":[{"asset_id":"another"}]}' } : undefined,
    ),
  ),
  { title: 'no service', service: async () => 'http://127.0.0.1:9', error: unreachable },
  simulated('a reset', { reset: true }, { error: unreachable }),
  leaking('a body that is not JSON', unreadable, (authorization) =>
    whole(200, authorization, `${serviceText} ${authorization}`),
  ),
  leaking('an empty body', unreadable, (authorization) => whole(200, authorization, '')),
  leaking('HTML', unreadable, (authorization) => whole(200, authorization, `<p>${serviceText} ${authorization}</p>`)),
  leaking('JSON cut short', unreadable, (authorization) => whole(200, authorization, echo(authorization).slice(0, -9))),
  leaking('JSON of another shape', unreadable, (authorization) =>
    whole(200, authorization, `[${echo(authorization)}]`),
  ),
  leaking('JSON too deep', unreadable, (authorization) => whole(200, authorization, deep(authorization)), {
    env: { UPSTREAM_MAX_BYTES: '1000000' },
  }),
  leaking('fields of other types', unreadable, (authorization) => {
    const wrong = [serviceText, { [serviceText]: authorization }];
    const asset = { asset_id: assetId, asset_name: wrong, asset_version: serviceText, results: serviceText };
    const fields = { name: wrong, start_date: serviceText, processing_id: wrong, source_id: wrong };
    return whole(200, authorization, JSON.stringify({ ...fields, assets: [asset, serviceText, wrong] }));
  }),
  leaking('an unknown encoding', unreadable, (authorization) =>
    responseStart(200, authorization, `content-encoding: ${serviceText}`),
  ),
  leaking(
    'another encoding than declared',
    unreadable,
    (authorization) => responseStart(200, authorization, 'content-encoding: gzip') + echo(authorization),
  ),
  leaking('headers too large', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    responseStart(200, authorization, `x: ${serviceText.repeat(10_000)}`),
  ),
  leaking('an invalid content length', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    responseStart(200, authorization, `content-length: ${serviceText}`),
  ),
  leaking(
    'a bad chunk',
    unreadable,
    (authorization) => `${responseStart(200, authorization, 'transfer-encoding: chunked')}${serviceText}\r\n`,
  ),
  leaking('a header line without a colon', error('UPSTREAM_INVALID_RESPONSE', null), (authorization) =>
    responseStart(200, authorization, serviceText),
  ),
  leaking(
    'no HTTP',
    error('UPSTREAM_INVALID_RESPONSE', null),
    (authorization) => `${serviceText} ${authorization}\r\n\r\n`,
  ),
  leaking('an end in the headers', unreachable, (authorization) => responseStart(200, authorization, '').slice(0, 150)),
  leaking('an end in the body', error('UPSTREAM_UNAVAILABLE'), unfinished),
  leaking('a reset in the body', error('UPSTREAM_UNAVAILABLE'), unfinished, { after: 'reset' }),
  leaking('a body that never ends', error('UPSTREAM_TIMEOUT'), unfinished, {
    after: 'stay open',
    env: shortly,
  }),
];
