import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Authority, makeAuthority } from '../programs/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { getSummary, queryAt, startService } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';
import { Redis, SECRET, stored } from './redis.ts';
import { NAME, named } from './timed.ts';

const USER = 'subgraph';
const PASSWORD = 'p@ss/word';

/** A Redis that also speaks TLS, and knows one user. */
async function startSecure(authority: Authority, host: string) {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { key, cert } = await authority.sign({ host });
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem'), ca: join(folder, 'ca.pem') };
  await Promise.all([writeFile(files.key, key), writeFile(files.cert, cert), writeFile(files.ca, authority.cert)]);
  const port = await freePort();
  const tls = ['--tls-port', port, '--tls-auth-clients', 'no', '--tls-ca-cert-file', files.ca];
  const redis = await Redis.start(...tls, '--tls-key-file', files.key, '--tls-cert-file', files.cert);
  // What docs/scaling.md says that a replica needs, and no more.
  const commands = ['mget', 'get', 'set', 'del', 'pexpire'].map((command) => `+${command}`);
  await redis.send('ACL', 'SETUSER', USER, 'on', `>${PASSWORD}`, '~dataset-subgraph:*', '-@all', ...commands);
  const url = `rediss://${USER}:${encodeURIComponent(PASSWORD)}@localhost:${port}`;
  return { redis, url, ca: files.ca };
}

/** Asks twice, of a program that trusts an authority. Returns the log lines about Redis. */
async function askTwice(url: string, ca: string, afterFirst: () => Promise<void>) {
  const simulator = await startService();
  const env = { DATASET_SERVICE_URL: simulator.url, PORT: '0', NODE_EXTRA_CA_CERTS: ca };
  const program = startEntry('main', { ...env, CACHE: url, CACHE_SECRET: SECRET });
  const endpoint = await endpointOf(program);
  expect((await queryAt(endpoint, NAME)).body).toEqual(named);
  await afterFirst();
  expect((await queryAt(endpoint, NAME)).body).toEqual(named);
  program.kill('SIGTERM');
  const { stdout, stderr } = await program.ended;
  expect(stdout + stderr).not.toContain(encodeURIComponent(PASSWORD));
  return {
    calls: simulator.requests.map(({ method, target }) => `${method} ${target}`),
    lines: stdout.split('\n').filter((line) => line.includes('Redis')),
  };
}

describe('3.41 rediss://', () => {
  it('speaks TLS with a Redis that can be trusted, as a user with few rights', async () => {
    const { redis, url, ca } = await startSecure(await makeAuthority('Authority'), 'localhost');
    const { calls, lines } = await askTwice(url, ca, () => stored(redis, 1));
    expect(calls).toEqual([getSummary()]);
    expect(lines).toEqual([]);
  });

  it('sends nothing to a Redis with the certificate of another host', async () => {
    const { redis, url, ca } = await startSecure(await makeAuthority('Authority'), 'redis.example.com');
    const { calls, lines } = await askTwice(url, ca, async () => {});
    expect(calls).toEqual([getSummary(), getSummary()]);
    expect(lines).toEqual([expect.stringContaining('"code":"ERR_TLS_CERT_ALTNAME_INVALID"')]);
    expect(await redis.keys('responses')).toEqual([]);
  });
});
