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
  return query(ofDataset(fields), { variables: { id }, token });
}

const response = (dataset: object) => ({ data: { dataset } });
const both = 'download { url } downloadUrlWithToken';
const path = ['dataset', 'downloadUrlWithToken'];

/*
 * Clause 3.19 of docs/contract.md in detail.
 * Downloads. `url` is built without a call. `downloadUrlWithToken` is the same with `?authToken=`. It is null with `FORBIDDEN`
 * unless `DOWNLOAD_TOKEN_IN_URL=allow`, and null with `UNAUTHENTICATED` without a usable token. A token is never sent in
 * header and query together. No file of results has such a URL.
 */
describe('3.19 Downloads', () => {
  it.each(['allow', 'deny', ''])(
    'have a URL without a token, built locally (DOWNLOAD_TOKEN_IN_URL "%s")',
    async (setting) => {
      const bed = await start({ env: { DOWNLOAD_TOKEN_IN_URL: setting } });
      const url = `${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
      const { body } = await ask(bed, 'download { url method requiredHeaders }');
      const requiredHeaders = ['Authorization: Bearer <ACCESS_TOKEN>'];
      expect(body).toEqual(response({ download: { url, method: 'GET', requiredHeaders } }));
      const anonymous = await ask(bed, 'download { url }', { token: null });
      expect(anonymous.body).toEqual(response({ download: { url } }));
      expect(bed.calls()).toEqual([]);
    },
  );

  it('are of a dataset that need not exist', async () => {
    const bed = await start();
    const { body } = await ask(bed, 'download { url }', { id: 'missing' });
    const url = `${bed.simulator.url}/v1/collection/staticdataset/missing/download`;
    expect(body).toEqual(response({ download: { url } }));
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
    const { body } = await ask(bed, both);
    const url = `${base}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body).toEqual(response({ download: { url }, downloadUrlWithToken: `${url}?authToken=${TOKEN}` }));
  });

  it('have the id encoded', async () => {
    const bed = await start({ env: ALLOW });
    const { body } = await ask(bed, both, { id: ODD_ID });
    const url = `${bed.simulator.url}/v1/collection/staticdataset/${ODD_ID_ENCODED}/download`;
    expect(body).toEqual(response({ download: { url }, downloadUrlWithToken: `${url}?authToken=${TOKEN}` }));
  });

  it.each([{}, { DOWNLOAD_TOKEN_IN_URL: 'deny' }])('have no URL with a token unless it is allowed: %j', async (env) => {
    const bed = await start({ env });
    for (const token of [TOKEN, null]) {
      const { body, text } = await ask(bed, both, { token });
      const url = `${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
      expect(body).toEqual({
        ...response({ download: { url }, downloadUrlWithToken: null }),
        errors: [errorAt(path, 'FORBIDDEN')],
      });
      expect(text).not.toContain(TOKEN);
    }
    expect(bed.calls()).toEqual([]);
  });

  it.each([null, 'two words', ''])('have no URL with a token without a usable one: %j', async (token) => {
    const bed = await start({ env: ALLOW });
    const { body } = await ask(bed, 'id downloadUrlWithToken', { token });
    const error = errorAt(path, 'UNAUTHENTICATED', { operation: 'downloadStaticDataset' });
    expect(body).toEqual({ ...response({ id: DATASET_ID, downloadUrlWithToken: null }), errors: [error] });
    expect(bed.calls()).toEqual([]);
  });

  it.each(['Bearer', 'bearer', 'BEARER'])(
    'have the token encoded in the query, without its scheme: %s',
    async (scheme) => {
      const bed = await start({ env: ALLOW, accounts: [account(ODD_TOKEN)] });
      const { body } = await bed.query(ofDataset('downloadUrlWithToken'), {
        headers: { authorization: `${scheme} ${ODD_TOKEN}` },
      });
      const { downloadUrlWithToken: url } = body.data.dataset;
      expect(body).toEqual(response({ downloadUrlWithToken: url }));
      expect(url).toMatch(/\/download\?authToken=[\w.~!'()*%-]+$/);
      expect([...new URL(url).searchParams]).toEqual([['authToken', ODD_TOKEN]]);
      expect(bed.calls()).toEqual([]);
    },
  );

  it('work with the header or with the query, never both', async () => {
    const metadata = { ...dataset.metadata, id: ODD_ID };
    const bed = await start({ env: ALLOW, accounts: [account(ODD_TOKEN)], datasets: [{ ...dataset, metadata }] });
    const { body } = await ask(bed, 'download { url method requiredHeaders } downloadUrlWithToken', {
      id: ODD_ID,
      token: ODD_TOKEN,
    });
    const { download, downloadUrlWithToken } = body.data.dataset;
    const { url, method, requiredHeaders } = download;
    const [name, value] = requiredHeaders[0].split(': ');
    expect(new URL(url).search).toBe('');
    const byHeader = await send(new URL(url), {
      method,
      headers: { [name]: value.replace('<ACCESS_TOKEN>', ODD_TOKEN) },
    });
    const byQuery = await send(new URL(downloadUrlWithToken), { method });
    for (const { status, text } of [byHeader, byQuery]) {
      expect({ status, text }).toEqual({ status: 200, text: 'date,value\n' });
    }
  });

  it('say in the schema what a token in a URL risks', async () => {
    const { query } = await start();
    const { body } = await query('{ __type(name: "Dataset") { fields { name description } } }');
    const [field] = body.data.__type.fields.filter(({ name }: { name: string }) => name === 'downloadUrlWithToken');
    expect(field.description).toMatch(/is a secret.*RFC 6750, section 2\.3/s);
  });
});
