import dns from 'node:dns';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig, routeOf } from '../../src/config.ts';
import { login } from '../../src/rest/login.ts';
import { startCollector } from '../support/collector.ts';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, getSummary, ofDataset, send, start, startService, TOKEN } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';
import { type Authority, makeAuthority } from './certificates.ts';
import { startProxy } from './proxy.ts';
import { startSecure } from './secure-server.ts';

const NAME = ofDataset('name');
const named = { data: { dataset: { name: 'Soil moisture' } } };
const unavailable = {
  data: { dataset: { name: null } },
  errors: [errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', retryable: true })],
};
const mesh = { UPSTREAM_HTTP: 'allow', UPSTREAM_RETRY: 'off' };
const credentials = `Basic ${Buffer.from('anna:p@ss').toString('base64')}`;
const portOf = (url: string) => Number(new URL(url).port);

/** A folder for files, which ends with the test. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'network-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** Writes files into a folder, each at once, and returns their paths. */
async function write(into: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  return Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = join(into, name);
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      return path;
    }),
  );
}

async function caFile({ cert }: Authority): Promise<string> {
  const [path = ''] = await write(await folder(), { 'ca.pem': cert });
  return path;
}

describe('3.48 A proxy', () => {
  it('forwards calls to a service that is http, with the credentials of its URL, which the service does not get', async () => {
    const service = await startService();
    const proxy = await startProxy({ 'service.test': portOf(service.url) }, credentials);
    const env = { ...mesh, HTTP_PROXY: `http://anna:p%40ss@${proxy.host}` };
    const bed = await start({ env, serviceUrl: 'http://service.test' });
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(proxy.asked).toEqual([{ line: getSummary().replace(' ', ' http://service.test'), credentials }]);
    expect(service.requests.map(({ headers }) => [headers.authorization, headers['proxy-authorization']])).toEqual([
      [[`Bearer ${TOKEN}`], undefined],
    ]);
    expect(bed.log.join('')).not.toContain('p@ss');
    expect(bed.log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 30, proxies: [proxy.host] }),
    );
  });

  it.each(['HTTPS_PROXY', 'https_proxy'])('tunnels calls to a service that is https: %s', async (name) => {
    const authority = await makeAuthority('Authority');
    const service = await startSecure(await authority.sign({ host: 'service.test' }));
    const proxy = await startProxy({ 'service.test:443': service.port }, credentials);
    const env = { [name]: `http://anna:p%40ss@${proxy.host}`, UPSTREAM_CA_FILE: await caFile(authority) };
    const bed = await start({ env, serviceUrl: 'https://service.test' });
    expect((await bed.query(NAME)).body).toEqual(named);
    expect((await bed.query(NAME)).body).toEqual(named);
    const request = `${getSummary()} Bearer ${TOKEN}`;
    expect(service.requests).toEqual([request, request]);
    expect(proxy.asked).toEqual([{ line: 'CONNECT service.test:443', credentials }]);
  });

  it.each(['http://service.test', 'https://service.test'])('that rejects its credentials: %s', async (serviceUrl) => {
    const proxy = await startProxy({}, credentials);
    const url = `http://anna:wrong@${proxy.host}`;
    const bed = await start({ env: { ...mesh, HTTP_PROXY: url, HTTPS_PROXY: url }, serviceUrl });
    expect((await bed.query(NAME)).body).toEqual(unavailable);
    expect(proxy.asked).toHaveLength(1);
    expect(bed.log.join('')).not.toContain('wrong');
  });

  it('is not used for this host, nor for those of NO_PROXY', async () => {
    const proxy = await startProxy({});
    const proxies = { HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: `http://${proxy.host}` };
    const local = await start({ env: proxies });
    expect((await local.query(NAME)).body).toEqual(named);
    const excepted = await start({
      env: { ...mesh, ...proxies, NO_PROXY: 'example.com, .invalid' },
      serviceUrl: 'https://service.invalid',
    });
    expect((await excepted.query(NAME)).body).toEqual(unavailable);
    expect(proxy.asked).toEqual([]);
  });

  it('is used for logins', async () => {
    const service = await startService();
    const proxy = await startProxy({ 'auth.test': portOf(service.url) });
    const config = readConfig({ ...mesh, HTTP_PROXY: `http://${proxy.host}` });
    const token = await login(new URL('http://auth.test'), 'anna@example.com', 'secret', routeOf(config));
    expect(token).toBe(TOKEN);
    expect(proxy.asked).toEqual([{ line: 'POST http://auth.test/v3/login', credentials: undefined }]);
  });

  it('is used for traces', async () => {
    const collector = await startCollector();
    const proxy = await startProxy({ 'collector.test': portOf(collector.url) });
    const env = { HTTP_PROXY: `http://${proxy.host}`, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test' };
    const bed = await start({ env: { ...env, OTEL_BSP_SCHEDULE_DELAY: '1' } });
    await bed.query(NAME);
    await collector.receive(1);
    expect(proxy.asked[0]?.line).toBe('POST http://collector.test/v1/traces');
  });
});

describe('3.49 A service inside a mesh', () => {
  it('may be http if UPSTREAM_HTTP allows it: the log has a warning', async () => {
    const env = { DATASET_SERVICE_URL: 'http://service.test', AUTH_SERVICE_URL: 'http://auth.test', PORT: '0' };
    const denied = await startEntry('main', env).ended;
    expect(denied).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATASET_SERVICE_URL must be an https URL/),
    });
    const program = startEntry('main', { ...env, UPSTREAM_HTTP: 'allow' });
    await endpointOf(program);
    program.kill('SIGTERM');
    const lines = (await program.ended).stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      ['DATASET_SERVICE_URL', 'AUTH_SERVICE_URL'].map(
        (name) => `${name} is http: tokens are sent without encryption, unless a mesh encrypts them.`,
      ),
    );
  });

  it('may ask for a certificate, which is renewed while the subgraph runs, as is its authority', async () => {
    const authority = await makeAuthority('Authority');
    const serviceIdentity = await authority.sign({ host: 'localhost' });
    const service = await startSecure({ ...serviceIdentity, ca: authority.cert, requestCert: true });
    const path = await folder();
    const first = await authority.sign({ host: 'first' });
    const [ca = '', cert = '', key = ''] = await write(path, { ca: authority.cert, cert: first.cert, key: first.key });
    const env = { UPSTREAM_CA_FILE: ca, UPSTREAM_CERTIFICATE_FILE: cert, UPSTREAM_KEY_FILE: key };
    const bed = await start({ env, serviceUrl: service.url });
    const request = `${getSummary()} Bearer ${TOKEN}`;
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(service.requests).toEqual([`${request} first`]);

    const second = await authority.sign({ host: 'second' });
    // The files do not belong together meanwhile, and nothing fails.
    await write(path, { cert: second.cert });
    await expect.poll(async () => (await bed.query(NAME)).body, { interval: 200, timeout: 1500 }).toEqual(named);
    await write(path, { key: second.key });
    await expect
      .poll(async () => {
        expect((await bed.query(NAME)).body).toEqual(named);
        return service.requests.at(-1);
      })
      .toBe(`${request} second`);

    const other = await makeAuthority('Other authority');
    await write(path, { ca: other.cert });
    await expect.poll(async () => (await bed.query(NAME)).body).toEqual(unavailable);
  });

  it.each([
    ['that is not there', { UPSTREAM_CA_FILE: '/does/not/exist.pem' }, 'ENOENT'],
    [
      'that is none',
      { UPSTREAM_CERTIFICATE_FILE: 'package.json', UPSTREAM_KEY_FILE: 'package.json' },
      'ERR_OSSL_PEM_NO_START_LINE',
    ],
  ])('stops the start for a certificate %s', async (_title, env, code) => {
    await expect(start({ env })).rejects.toThrow(
      `The files of UPSTREAM_CA_FILE, UPSTREAM_CERTIFICATE_FILE and UPSTREAM_KEY_FILE cannot be used (${code}).`,
    );
  });
});

describe('3.49 A certificate without its key', () => {
  it.each(['UPSTREAM_CERTIFICATE_FILE', 'UPSTREAM_KEY_FILE'])('stops the start: %s alone', async (name) => {
    await expect(start({ env: { [name]: 'package.json' } })).rejects.toThrow(
      'UPSTREAM_CERTIFICATE_FILE and UPSTREAM_KEY_FILE must be set together.',
    );
  });
});

/** Makes the name server know a host, until the test ends. */
function knowHost(name: string, addresses: readonly string[]): void {
  const { lookup } = dns;
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const known = (host: string, ...others: [object, (...found: unknown[]) => void]) =>
    host === name ? others[1](null, found) : Reflect.apply(lookup, dns, [host, ...others]);
  const use = (now: unknown) => {
    Object.assign(dns, { lookup: now });
    syncBuiltinESMExports();
  };
  use(known);
  onTestFinished(() => use(lookup));
}

describe('3.50 A download that the service redirects', () => {
  const FILE = Buffer.from('the file');
  const path = `/v1/collection/staticdataset/${DATASET_ID}/download`;
  const download = (origin: string | URL) =>
    send(new URL(`/download/dataset/${DATASET_ID}`, origin), { headers: { authorization: `Bearer ${TOKEN}` } });

  let authority: Authority;
  beforeAll(async () => {
    authority = await makeAuthority('Authority');
    const before = getCACertificates();
    setDefaultCACertificates([authority.cert]);
    return () => setDefaultCACertificates(before);
  });

  /** A subgraph with a service that redirects to `location`, a store for files, and the proxy between them. */
  async function startRedirecting(location: string, hosts?: string, respond?: RequestListener) {
    const store = await startSecure(
      await authority.sign({ host: 'files.store.test' }),
      respond ?? ((_request, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(FILE)),
    );
    const proxy = await startProxy({ 'files.store.test:443': store.port });
    const env = { HTTPS_PROXY: `http://${proxy.host}`, ...(hosts !== undefined && { DOWNLOAD_REDIRECT_HOSTS: hosts }) };
    const { subgraph, simulator } = await start({ env });
    simulator.intercept(() => ({ status: 302, headers: { location }, body: '' }));
    return { endpoint: subgraph.url, store, simulator, proxy };
  }

  it.each(['files.store.test', 'other.test, *.store.test'])(
    'is followed to a host of %s, without the token',
    async (hosts) => {
      const { endpoint, store, simulator } = await startRedirecting('https://files.store.test/a?signature=s%2F', hosts);
      const { status, headers, text } = await download(endpoint);
      expect([status, headers['content-type'], text]).toEqual([200, 'text/csv', 'the file']);
      expect(store.requests).toEqual(['GET /a?signature=s%2F']);
      expect(simulator.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([`GET ${path}`]);
    },
  );

  it.each([
    ['no host is allowed', 'https://files.store.test/a', undefined],
    ['its host is not allowed', 'https://files.store.test/a', 'store.test'],
    ['it is http', 'http://files.store.test/a', '*.store.test'],
    ['it is an address', 'https://169.254.169.254/latest', '*.store.test'],
  ])('is not followed if %s', async (_title, location, hosts) => {
    const { endpoint, store, proxy } = await startRedirecting(location, hosts);
    const { status, body } = await download(endpoint);
    expect([status, body.errors[0].extensions]).toEqual([
      502,
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE', rest: expect.objectContaining({ status: 302 }) }),
    ]);
    expect([store.requests, proxy.asked]).toEqual([[], []]);
  });

  it.each(['127.0.0.1', '::ffff:127.0.0.1', '192.0.2.1 127.0.0.1'])(
    'is not followed to a host that has the address %s',
    async (addresses) => {
      const store = await startSecure(await authority.sign({ host: 'files.store.test' }));
      knowHost('files.store.test', addresses.split(' '));
      const { subgraph, simulator } = await start({ env: { DOWNLOAD_REDIRECT_HOSTS: '*.store.test' } });
      const location = `https://files.store.test:${store.port}/a`;
      simulator.intercept(() => ({ status: 302, headers: { location }, body: '' }));
      const { status, body } = await download(subgraph.url);
      expect([status, body.errors[0].extensions.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
      expect(store.requests).toEqual([]);
    },
  );

  it('is followed three times, and no more', async () => {
    const redirect: RequestListener = ({ url = '' }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) response.end(FILE);
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    };
    const good = await startRedirecting('https://files.store.test/2', '*.store.test', redirect);
    expect((await download(good.endpoint)).text).toBe('the file');
    const long = await startRedirecting('https://files.store.test/3', '*.store.test', redirect);
    expect((await download(long.endpoint)).status).toBe(502);
    expect(long.store.requests).toEqual(['GET /3', 'GET /2', 'GET /1']);
  });

  it('reports the status of the other host', async () => {
    const { endpoint } = await startRedirecting('https://files.store.test/a', '*.store.test', (_request, response) =>
      response.writeHead(403).end('<Error>expired</Error>'),
    );
    const { status, body } = await download(endpoint);
    expect([status, body.errors[0].message]).toEqual([
      502,
      'The dataset service sent an invalid response: the host that it redirects to responded with status 403.',
    ]);
  });
});
