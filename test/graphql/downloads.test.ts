import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, dataset, ofDataset, send, start, type TestBed, TOKEN } from '../support/harness.ts';

const ALLOW = { DOWNLOAD_TOKEN_IN_URL: 'allow' };
const ODD_ID = 'a b/c?d#e%2F&é💧+;=@:';
const ODD_ID_ENCODED = 'a%20b%2Fc%3Fd%23e%252F%26%C3%A9%F0%9F%92%A7%2B%3B%3D%40%3A';
/** Every visible ASCII character. */
const ODD_TOKEN = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));

function account(token: string) {
  return { email: 'anna@example.com', password: 'secret', token };
}

function ask({ query }: TestBed, fields: string, { id = DATASET_ID, token = TOKEN as string | null } = {}) {
  return query(ofDataset(`download { ${fields} }`), { variables: { id }, token });
}

const response = (download: object) => ({ data: { dataset: { download } } });
const path = ['dataset', 'download', 'url'];

/*
 * Clause 3.19 of docs/contract.md in detail.
 * Downloads. `url` is built without a call. `TOKEN_IN_URL` adds `?authToken=`. The URL is null with `FORBIDDEN` unless
 * `DOWNLOAD_TOKEN_IN_URL=allow`, and null with `UNAUTHENTICATED` without a usable token. A token is never sent in
 * header and query together.
 */
describe('3.19 Downloads', () => {
  it.each(['allow', 'deny', ''])(
    'have a URL without a token, built locally (DOWNLOAD_TOKEN_IN_URL "%s")',
    async (setting) => {
      const bed = await start({ env: { DOWNLOAD_TOKEN_IN_URL: setting } });
      const url = `${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
      const { body } = await ask(bed, 'url same: url(auth: AUTHORIZATION_HEADER) method requiredHeaders');
      const requiredHeaders = ['Authorization: Bearer <ACCESS_TOKEN>'];
      expect(body).toEqual(response({ url, same: url, method: 'GET', requiredHeaders }));
      const anonymous = await ask(bed, 'url', { token: null });
      expect(anonymous.body).toEqual(response({ url }));
      expect(bed.calls()).toEqual([]);
    },
  );

  it('are of a dataset that need not exist', async () => {
    const bed = await start();
    const { body } = await ask(bed, 'url', { id: 'missing' });
    expect(body).toEqual(response({ url: `${bed.simulator.url}/v1/collection/staticdataset/missing/download` }));
    expect(bed.calls()).toEqual([]);
  });

  it.each([
    ['https://rest.example.com', 'https://rest.example.com'],
    ['https://rest.example.com/', 'https://rest.example.com'],
    ['https://rest.example.com:8443/base/v9', 'https://rest.example.com:8443/base/v9'],
    ['https://rest.example.com/base/v9/', 'https://rest.example.com/base/v9'],
    ['https://rest.example.com/b%20c/', 'https://rest.example.com/b%20c'],
  ])('are at {base_url}: %s', async (serviceUrl, base) => {
    const bed = await start({ serviceUrl, env: ALLOW });
    const { body } = await ask(bed, 'url token: url(auth: TOKEN_IN_URL)');
    const url = `${base}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body).toEqual(response({ url, token: `${url}?authToken=${TOKEN}` }));
  });

  it('have the id encoded', async () => {
    const bed = await start({ env: ALLOW });
    const { body } = await ask(bed, 'url token: url(auth: TOKEN_IN_URL)', { id: ODD_ID });
    const url = `${bed.simulator.url}/v1/collection/staticdataset/${ODD_ID_ENCODED}/download`;
    expect(body).toEqual(response({ url, token: `${url}?authToken=${TOKEN}` }));
  });

  it.each([{}, { DOWNLOAD_TOKEN_IN_URL: 'deny' }])('have no URL with a token unless it is allowed: %j', async (env) => {
    const bed = await start({ env });
    for (const token of [TOKEN, null]) {
      const { body, text } = await ask(bed, 'url(auth: TOKEN_IN_URL) plain: url method', { token });
      const plain = `${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
      expect(body).toEqual({ ...response({ url: null, plain, method: 'GET' }), errors: [errorAt(path, 'FORBIDDEN')] });
      expect(text).not.toContain(TOKEN);
    }
    expect(bed.calls()).toEqual([]);
  });

  it.each([null, 'two words', ''])('have no URL with a token without a usable one: %j', async (token) => {
    const bed = await start({ env: ALLOW });
    const { body } = await ask(bed, 'url(auth: TOKEN_IN_URL) method', { token });
    const error = errorAt(path, 'UNAUTHENTICATED', { operation: 'downloadStaticDataset' });
    expect(body).toEqual({ ...response({ url: null, method: 'GET' }), errors: [error] });
    expect(bed.calls()).toEqual([]);
  });

  it.each(['Bearer', 'bearer', 'BEARER'])(
    'have the token encoded in the query, without its scheme: %s',
    async (scheme) => {
      const bed = await start({ env: ALLOW, accounts: [account(ODD_TOKEN)] });
      const { body } = await bed.query(ofDataset('download { url(auth: TOKEN_IN_URL) }'), {
        headers: { authorization: `${scheme} ${ODD_TOKEN}` },
      });
      const { url } = body.data.dataset.download;
      expect(body).toEqual(response({ url }));
      expect(url).toMatch(/\/download\?authToken=[\w.~!'()*%-]+$/);
      expect([...new URL(url).searchParams]).toEqual([['authToken', ODD_TOKEN]]);
      expect(bed.calls()).toEqual([]);
    },
  );

  it('work with the header or with the query, never both', async () => {
    const metadata = { ...dataset.metadata, id: ODD_ID };
    const bed = await start({ env: ALLOW, accounts: [account(ODD_TOKEN)], datasets: [{ ...dataset, metadata }] });
    const { body } = await ask(bed, 'url token: url(auth: TOKEN_IN_URL) method requiredHeaders', {
      id: ODD_ID,
      token: ODD_TOKEN,
    });
    const { url, token, method, requiredHeaders } = body.data.dataset.download;
    const [name, value] = requiredHeaders[0].split(': ');
    expect(new URL(url).search).toBe('');
    const byHeader = await send(new URL(url), {
      method,
      headers: { [name]: value.replace('<ACCESS_TOKEN>', ODD_TOKEN) },
    });
    const byQuery = await send(new URL(token), { method });
    for (const { status, text } of [byHeader, byQuery]) {
      expect({ status, text }).toEqual({ status: 200, text: 'date,value\n' });
    }
  });

  it('say in the schema what a token in a URL risks', async () => {
    const { query } = await start();
    const { body } = await query('{ __type(name: "DownloadAuth") { enumValues { name description } } }');
    const [header, , token] = body.data.__type.enumValues;
    expect(header.name).toBe('AUTHORIZATION_HEADER');
    expect(token).toEqual({
      name: 'TOKEN_IN_URL',
      description: expect.stringMatching(/is a secret.*RFC 6750, section 2\.3/s),
    });
  });
});
