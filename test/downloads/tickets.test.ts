import { hkdfSync } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tickets } from '../../files/tickets.ts';
import { bearerAuthorization } from '../../src/core/bearer-token.ts';
import { ConfigError } from '../../src/core/error-codes.ts';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, dataset, ofDataset, start, type TestBed, TOKEN } from '../support/harness.ts';

const SECRET = 'a-secret-of-this-subgraph-of-32-c';
const OLDER = 'an-older-secret-of-the-same-subgraph';
const env = { DOWNLOAD_TICKET_SECRET: SECRET };
const path = ['dataset', 'download', 'ticketUrl'];
const response = (ticketUrl: unknown) => ({ data: { dataset: { download: { ticketUrl } } } });
const MAX_TOKEN_LENGTH = 'x'.repeat(12_000);

const refusal = (message: string) => ({ errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] });
const unusable = refusal('The download link is invalid. Request a new one.');
const expired = refusal('The download link has expired. Request a new one.');
const fetched = [`GET /v1/collection/staticdataset/${DATASET_ID}/download`];

function ask({ query }: TestBed, { id = DATASET_ID, token = TOKEN as string | null } = {}) {
  return query(ofDataset('download { ticketUrl }'), { variables: { id }, token });
}

async function urlOf(bed: TestBed, request?: Parameters<typeof ask>[1]): Promise<string> {
  const { body } = await ask(bed, request);
  expect(body).toEqual(response(expect.any(String)));
  return body.data.dataset.download.ticketUrl;
}

const account = (token: string) => ({ email: 'anna@example.com', password: 'secret', token });

afterEach(() => void vi.useRealTimers());

/*
 * Clause 3.34 of docs/contract.md in detail.
 * Tickets. `ticketUrl` is `{PUBLIC_URL}/download/{ticket}`, made without a call. The default for `PUBLIC_URL`
 * is the address where the subgraph listens. If `HOST` stands for all addresses there is no such default, and a
 * request's `Host` header is never trusted; without `PUBLIC_URL`, the start then fails. (The demo's links lead to
 * `localhost` instead.)
 *
 * A ticket is a JWE (RFC 7516; `dir`, `A256GCM`, the key by HKDF-SHA-256 from the secret) that holds the dataset id,
 * the token and the expiry time, and nothing else. The URL is null with `FORBIDDEN` without `DOWNLOAD_TICKET_SECRET`,
 * with `UNAUTHENTICATED` without a usable token, and with `REQUEST_LIMIT_EXCEEDED` if the ticket would be longer than
 * 18,000 characters (an ordinary token of 12,000 fits). A ticket that is altered by a single bit, foreign or expired gets
 * 401 without a REST call. The message says that a ticket has expired only if the ticket is genuine. A ticket works for
 * `DOWNLOAD_TICKET_SECONDS`, and up to a second longer.
 */
describe('3.34 Download tickets', () => {
  it('are at the end of a URL of this subgraph, made without a call, that opens by itself', async () => {
    const bed = await start({ env });
    const url = await urlOf(bed);
    expect(url).toMatch(
      new RegExp(`^${new URL('/download/', bed.subgraph.url)}[\\w-]+\\.\\.[\\w-]+\\.[\\w-]+\\.[\\w-]+$`),
    );
    expect(bed.calls()).toEqual([]);
    expect(await bed.http(url)).toMatchObject({ status: 200, text: 'date,value\n' });
    expect(bed.calls()).toEqual(fetched);
    expect(bed.simulator.requests[0]?.headers.authorization).toEqual([`Bearer ${TOKEN}`]);
  });

  it('hold nothing that can be read, and are never the same', async () => {
    const bed = await start({ env });
    const [first, second] = [await urlOf(bed), await urlOf(bed)];
    expect(first).not.toBe(second);
    const parts = (new URL(first).pathname.split('/').pop() ?? '').split('.');
    const read = parts.map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(JSON.parse(read[0] ?? '')).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      typ: 'dataset-download',
      kid: expect.stringMatching(/^[\w-]{11}$/),
    });
    expect(parts[1]).toBe('');
    for (const word of [TOKEN, DATASET_ID, SECRET]) expect(read.join()).not.toContain(word);
  });

  it.each([
    ['https://graph.example.com:8443/a/b/', 'https://graph.example.com:8443/a/b'],
    ['http://localhost:9000', 'http://localhost:9000'],
  ])('are at PUBLIC_URL: %s', async (PUBLIC_URL, base) => {
    const bed = await start({ env: { ...env, PUBLIC_URL } });
    const url = await urlOf(bed);
    expect(url).toMatch(new RegExp(`^${base}/download/[\\w.-]+$`));
    expect(await bed.http(url.slice(base.length))).toMatchObject({ status: 200 });
  });

  it('need a secret: without one the field is null with FORBIDDEN', async () => {
    const bed = await start();
    for (const token of [TOKEN, null]) {
      expect((await ask(bed, { token })).body).toEqual({ ...response(null), errors: [errorAt(path, 'FORBIDDEN')] });
    }
    expect(bed.calls()).toEqual([]);
  });

  it.each([null, 'two words', ''])('need a usable token: %j', async (token) => {
    const bed = await start({ env });
    const error = errorAt(path, 'UNAUTHENTICATED', { operation: 'downloadStaticDataset' });
    expect((await ask(bed, { token })).body).toEqual({ ...response(null), errors: [error] });
    expect(bed.calls()).toEqual([]);
  });

  it('work with the longest token and the longest id, whatever its characters', async () => {
    for (const id of ['\u20ac'.repeat(200), '\u{1f4a7}'.repeat(100), '/"\\?#%.. '.repeat(20)]) {
      const metadata = { ...dataset.metadata, id };
      const bed = await start({ env, accounts: [account(MAX_TOKEN_LENGTH)], datasets: [{ ...dataset, metadata }] });
      const url = await urlOf(bed, { id, token: MAX_TOKEN_LENGTH });
      expect(await bed.http(url)).toMatchObject({ status: 200, text: 'date,value\n' });
    }
  });

  it('are refused where they would be longer than can be read back', async () => {
    const bed = await start({ env });
    const { body } = await ask(bed, { token: '"'.repeat(8000) });
    const error = {
      ...errorAt(path, 'REQUEST_LIMIT_EXCEEDED'),
      message: 'The bearer token is too long for a download ticket.',
    };
    expect(body).toEqual({ ...response(null), errors: [error] });
  });

  it.each([
    ['five minutes', {}, 300],
    ['DOWNLOAD_TICKET_SECONDS', { DOWNLOAD_TICKET_SECONDS: '1' }, 1],
  ])('work for %s, and then no more, without a call', async (_title, setting, seconds) => {
    const bed = await start({ env: { ...env, ...setting } });
    const made = 1_800_000_000_000;
    vi.useFakeTimers({ toFake: ['Date'], now: made });
    const url = await urlOf(bed);
    vi.setSystemTime(made + seconds * 1000 - 1);
    expect((await bed.http(url)).status).toBe(200);
    expect(bed.calls()).toEqual(fetched);
    vi.setSystemTime(made + seconds * 1000);
    const { status, body, headers } = await bed.http(url);
    expect({ status, body }).toEqual({ status: 401, body: expired });
    expect(headers).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' });
    expect(bed.calls()).toEqual(fetched);
  });

  it('are opened by both of two secrets, and made by the first', async () => {
    const old = await start({ env: { DOWNLOAD_TICKET_SECRET: OLDER } });
    const both = await start({ env: { DOWNLOAD_TICKET_SECRET: `${SECRET},${OLDER}` } });
    const fresh = await start({ env });
    const ofOld = new URL(await urlOf(old)).pathname;
    const ofBoth = new URL(await urlOf(both)).pathname;
    for (const [bed, ticket, status] of [
      [both, ofOld, 200],
      [fresh, ofOld, 401],
      [both, ofBoth, 200],
      [fresh, ofBoth, 200],
      [old, ofBoth, 401],
    ] as const) {
      expect((await bed.http(ticket)).status).toBe(status);
    }
  });
});

describe('3.34 A ticket that is refused, without a call', () => {
  async function refused(bed: TestBed, ticket: string) {
    const { status, body, headers } = await bed.http(`/download/${ticket}`);
    expect({ ticket, status, body }).toEqual({ ticket, status: 401, body: unusable });
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'www-authenticate': 'Bearer' });
    expect(bed.calls()).toEqual([]);
  }

  it('was altered: any character of it, taken away, changed or added', async () => {
    const bed = await start({ env });
    const ticket = (await urlOf(bed)).split('/').pop() ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const place of ticket.split('').keys()) {
      const [before, here, after] = [ticket.slice(0, place), ticket.charAt(place), ticket.slice(place + 1)];
      // The next one of the alphabet differs in the last bits, which a lenient decoder does not look at.
      const next = alphabet.charAt((alphabet.indexOf(here) ^ 1) % 64);
      for (const altered of [before + after, before + next + after, `${before}${here}A${after}`]) {
        await refused(bed, altered);
      }
    }
    for (const altered of [
      `${ticket}=`,
      `${ticket}.`,
      `.${ticket}`,
      `${ticket}%20`,
      `${ticket}%0A`,
      ticket.toUpperCase(),
    ]) {
      await refused(bed, altered);
    }
  });

  it('is foreign: of another secret, or no ticket at all', async () => {
    const bed = await start({ env });
    const foreign = (await urlOf(await start({ env: { DOWNLOAD_TICKET_SECRET: OLDER } }))).split('/').pop() ?? '';
    await refused(bed, foreign);
    // It makes none.
    await refused(await start(), foreign);
    for (const ticket of [
      '',
      'x',
      '....',
      'dataset',
      TOKEN,
      'e30..e30.e30.e30',
      'x'.repeat(12_001),
      '.'.repeat(18_000),
    ]) {
      await refused(bed, ticket);
    }
  });

  it('was made with the right key, but is something else', async () => {
    const bed = await start({ env });
    const authorization = bearerAuthorization(`Bearer ${TOKEN}`);
    if (authorization === undefined) throw new Error('no token');
    const tickets = new Tickets({ secrets: [SECRET], seconds: 60 });
    const genuine = (await tickets.make({ datasetId: DATASET_ID, authorization })) ?? '';
    const { kid } = JSON.parse(Buffer.from(genuine.split('.')[0] ?? '', 'base64url').toString());
    const key = new Uint8Array(hkdfSync('sha256', SECRET, '', 'dataset-subgraph download ticket 1', 32));
    const seal = (payload: unknown, header: Record<string, string> = {}) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'dataset-download', kid, ...header })
        .encrypt(key);
    const exp = Math.ceil(Date.now() / 1000) + 60;
    const contents = { id: DATASET_ID, token: TOKEN, exp };
    for (const [payload, header] of [
      [{ ...contents, exp: undefined }],
      [{ ...contents, exp: 'never' }],
      [{ ...contents, id: '..' }],
      [{ ...contents, id: [DATASET_ID] }],
      [{ ...contents, token: 'two words' }],
      [{ ...contents, token: undefined }],
      [{ ...contents, token: 5 }],
      [contents, { typ: 'another' }],
      [contents, { kid: 'another' }],
      [[contents]],
      [null],
    ] as const) {
      await refused(bed, await seal(payload, header));
    }
    expect((await bed.http(`/download/${genuine}`)).status).toBe(200);
    expect((await bed.http(`/download/${await seal(contents)}`)).status).toBe(200);
  });
});

describe('3.34 Download links where HOST stands for all addresses', () => {
  it.each(['0.0.0.0', '::'])('need PUBLIC_URL: with HOST=%s the start is refused in one sentence', async (HOST) => {
    const message = `PUBLIC_URL must be set to the URL that browsers use, because DOWNLOAD_TICKET_SECRET is set and HOST is ${HOST}.`;
    await expect(start({ env: { ...env, HOST } })).rejects.toThrow(new ConfigError(message));
  });

  it('lead to PUBLIC_URL, and need none without tickets', async () => {
    const HOST = '0.0.0.0';
    const url = await urlOf(await start({ env: { ...env, HOST, PUBLIC_URL: 'https://data.example/graph' } }));
    expect(url).toMatch(/^https:\/\/data\.example\/graph\/download\/[\w.-]+$/);
    expect((await ask(await start({ env: { HOST } }))).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
