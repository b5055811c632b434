import { expect, it } from 'vitest';
import { ofDataset, start, TOKEN } from '../support/harness.ts';
import { json, post } from '../support/http.ts';
import { oddMembers } from './known-documents-requests.ts';

/*
 * A document is known once it was valid. Then Apollo Server does not handle its requests (docs/architecture.md), and clients must not
 * see a difference. known-documents-random.test.ts compares POST requests.
 */
it('A document that is asked for again is answered by GET, by PUT and to a browser as ever', async () => {
  const { query, http } = await start({ env: { EXPLORER: 'sandbox' } });
  const document = ofDataset('name');
  for (let times = 0; times < 2; times += 1) await query(document);
  const path = `/graphql?${new URLSearchParams({ query: document })}`;
  const get = await http(path, { headers: { authorization: `Bearer ${TOKEN}`, 'apollo-require-preflight': 'yes' } });
  expect(get.text).toBe('{"data":{"dataset":{"name":"Soil moisture"}}}\n');
  expect((await http(path)).body.errors[0].extensions.code).toBe('BAD_REQUEST');
  const headers = { 'content-type': 'application/json' };
  const put = await http('/graphql', { method: 'PUT', headers, body: JSON.stringify({ query: document }) });
  expect(put).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
  const page = await http('/graphql', { headers: { accept: 'text/html' } });
  expect(page.headers['content-type']).toBe('text/html');
});

it('A document that is asked for again with odd members has the response of a new one', async () => {
  const { http } = await start();
  const document = ofDataset('name');
  const headers = { ...json, authorization: `Bearer ${TOKEN}`, 'x-request-id': 'r' };
  const ask = async (query: string, more: object) => {
    const { status, text } = await http('/graphql', post(JSON.stringify({ query, ...more }), headers));
    return { more, status, text };
  };
  for (let times = 0; times < 2; times += 1) expect((await ask(document, {})).status).toBe(200);
  for (const [number, more] of oddMembers.entries())
    expect(await ask(document, more)).toEqual(await ask(`${document} # ${number}`, more));
});
