import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { getSummary, listen, ofDataset, queryAt, send, start, TOKEN } from '../support/harness.ts';
import { parse } from '../support/metrics.ts';
import { endpointOf, startEntry } from '../support/process.ts';
import { type Authority, type Identity, makeAuthority, selfSigned } from './certificates.ts';
import { startSecure } from './secure-server.ts';

const NAME = ofDataset('name');
const named = { data: { dataset: { name: 'Soil moisture' } } };
const unavailable = {
  data: { dataset: { name: null } },
  errors: [errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', retryable: true })],
};

/** The program as an operator starts it who trusts this authority. */
async function startTrusting({ cert }: Authority, serviceUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  await writeFile(file, cert);
  const program = startEntry('main', {
    DATASET_SERVICE_URL: serviceUrl,
    NODE_EXTRA_CA_CERTS: file,
    PORT: '0',
    UPSTREAM_RETRY: 'off',
    METRICS_PORT: '0',
  });
  const endpoint = await endpointOf(program);
  const [, metricsUrl = ''] = await program.printed(/^Metrics: (.+)\n/m);
  return {
    ask: async () => (await queryAt(endpoint, NAME)).body,
    metrics: async () => parse((await send(new URL(metricsUrl))).text),
    /** The error codes of the connections, as the log has them. */
    async causes(): Promise<string[]> {
      program.kill('SIGTERM');
      const [, , ...lines] = (await program.ended).stdout.trim().split('\n');
      return lines.map((line) => JSON.parse(line).cause ?? 'none');
    },
  };
}

describe('3.23 A service that speaks TLS', () => {
  it('is called with a certificate that can be trusted, and with no other: no request leaves, and no token', async () => {
    const authority = await makeAuthority('Trusted authority');
    const good = await authority.sign({ host: 'localhost' });
    const service = await startSecure(good);
    const { ask, causes, metrics } = await startTrusting(authority, service.url);
    const request = `${getSummary()} Bearer ${TOKEN}`;
    expect(await ask()).toEqual(named);
    expect(service.requests).toEqual([request]);

    const yesterday = new Date(Date.now() - 60_000);
    const tomorrow = new Date(Date.now() + 12 * 60 * 60 * 1000);
    const untrusted = await makeAuthority('Unknown authority');
    const bad: [cause: string, identity: Identity][] = [
      ['CERT_HAS_EXPIRED', await authority.sign({ host: 'localhost', notAfter: yesterday })],
      ['CERT_NOT_YET_VALID', await authority.sign({ host: 'localhost', notBefore: tomorrow })],
      ['ERR_TLS_CERT_ALTNAME_INVALID', await authority.sign({ host: 'api.example.com' })],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', await untrusted.sign({ host: 'localhost' })],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', await selfSigned('localhost')],
    ];
    for (const [cause, identity] of bad) {
      service.show(identity);
      expect({ cause, body: await ask() }).toEqual({ cause, body: unavailable });
      expect(service.requests).toEqual([request]);
    }

    service.show(good);
    expect(await ask()).toEqual(named);
    expect(service.requests).toEqual([request, request]);
    expect((await metrics()).get('http_client_connection_errors_total{cause="tls"}')).toBe(bad.length);
    expect(await causes()).toEqual(['none', ...bad.map(([cause]) => cause), 'none']);
  });

  it('is not called where nothing but plain HTTP is spoken', async () => {
    const received: string[] = [];
    const url = await listen((socket) =>
      socket.on('data', (bytes) => {
        received.push(bytes.toString('latin1'));
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      }),
    );
    const { query } = await start({ serviceUrl: url.replace('http:', 'https:').replace('127.0.0.1', 'localhost') });
    expect((await query(NAME)).body).toEqual(unavailable);
    expect(received.join()).not.toContain(TOKEN);
  });

  it.each([
    ['5 s', '300000', 4500],
    ['UPSTREAM_TIMEOUT_MS', '200', 190],
  ])('is not waited for longer than %s where it does not answer the handshake', async (_time, limit, least) => {
    const url = await listen(() => {});
    // The deadline of the operation is longer than the test may take.
    const env = { UPSTREAM_TIMEOUT_MS: limit, OPERATION_TIMEOUT_MS: '300000' };
    const { query } = await start({ serviceUrl: url.replace('http:', 'https:'), env });
    // Real sockets take this time, which a busy machine can only make longer.
    const started = performance.now();
    const { body } = await query(NAME);
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT', rest: { status: null } } }]);
    expect(performance.now() - started).toBeGreaterThan(least);
  });
});
