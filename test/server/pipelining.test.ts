import { describe, expect, it } from 'vitest';
import { hold } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, NAME, named, start, TOKEN } from '../support/harness.ts';
import { open } from '../support/overload.ts';

const post = (body: string) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const query = post(JSON.stringify({ query: NAME }));
const download = `GET /download/dataset/${DATASET_ID} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;

describe('3.10 Pipelined requests whose connection is reset', () => {
  const get = { headers: { authorization: `Bearer ${TOKEN}` } };
  const ask = { ...get, method: 'POST', headers: { ...get.headers, 'content-type': 'application/json' } };

  it.each([
    ['operations', query, '/graphql', { ...ask, body: JSON.stringify({ query: NAME }) }, `${JSON.stringify(named)}\n`],
    ['downloads', download, `/download/dataset/${DATASET_ID}`, get, 'date,value\n'],
  ])('end their REST calls, and free their places: %s', async (_what, text, path, request, expected) => {
    const bed = await start({ env: { MAX_OPERATIONS: '3', MAX_DOWNLOADS: '3' } });
    const service = hold(bed);
    const { socket } = await open(bed, text.repeat(3));
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    expect((await bed.http(path, request)).status).toBe(503);
    socket.resetAndDestroy();
    expect(await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome))).toEqual(Array(3).fill('aborted'));
    service.open();
    const responses = await Promise.all(Array.from({ length: 3 }, () => bed.http(path, request)));
    expect(responses.map((response) => [response.status, response.text])).toEqual(Array(3).fill([200, expected]));
  });
});
