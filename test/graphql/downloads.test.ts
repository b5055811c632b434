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
    'have a URL without a call or a token, whatever DOWNLOAD_TOKEN_IN_URL is: "%s"',
    async (setting) => {
      const bed = await start({ env: { DOWNLOAD_TOKEN_IN_URL: setting } });
      const requiredHeaders = ['Authorization: Bearer <ACCESS_TOKEN>'];
      // The dataset need not exist.
      for (const [id, token] of [
        [DATASET_ID, TOKEN],
        ['missing', null],
      ] as const) {
        const url = `${bed.simulator.url}/v1/collection/staticdataset/${id}/download`;
        const { body } = await ask(bed, 'download { url method requiredHeaders }', { id, token });
        expect(body).toEqual(response({ download: { url, method: 'GET', requiredHeaders } }));
      }
      expect(bed.calls()).toEqual([]);
    },
  );

  it.each([
    ['https://rest.example.com', DATASET_ID, 'https://rest.example.com', DATASET_ID],
    ['https://rest.example.com:8443/base/v9/', DATASET_ID, 'https://rest.example.com:8443/base/v9', DATASET_ID],
    ['https://rest.example.com/b%20c/', ODD_ID, 'https://rest.example.com/b%20c', ODD_ID_ENCODED],
  ])('are at {base_url}, with the id encoded: %s, %s', async (serviceUrl, id, base, encoded) => {
    const bed = await start({ serviceUrl, env: ALLOW });
    const { body } = await ask(bed, both, { id });
    const url = `${base}/v1/collection/staticdataset/${encoded}/download`;
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
    expect(downloadUrlWithToken).toMatch(/\/download\?authToken=[\w.~!'()*%-]+$/);
    const byHeader = await send(new URL(url), {
      method,
      headers: { [name]: value.replace('<ACCESS_TOKEN>', ODD_TOKEN) },
    });
    const byQuery = await send(new URL(downloadUrlWithToken), { method });
    for (const { status, text } of [byHeader, byQuery]) {
      expect({ status, text }).toEqual({ status: 200, text: 'date,value\n' });
    }
  });
});
