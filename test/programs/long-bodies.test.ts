import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { send, startService } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

const REQUESTS = 100;

/** A MB of JSON that takes fourteen when it is parsed. */
const lists = `{"query":"query ($i: [ID!]!) { datasetsByIds(ids: $i) { id } }","variables":{"i":[${'[],'.repeat(340_000)}[]]}}`;

describe('3.28 A hundred encoded bodies of 1 MB at once, on one connection', () => {
  it('fit into memory, are answered in their order, and let others be answered between them', async () => {
    const { url } = await startService();
    const env = { DATASET_SERVICE_URL: url, PORT: '0', LOG_LEVEL: 'silent', NODE_OPTIONS: '--max-old-space-size=768' };
    const subgraph = await endpointOf(startEntry('main', env));
    const body = zstdCompressSync(lists);
    const headers = `host: x\r\ncontent-type: application/json\r\ncontent-encoding: zstd\r\ncontent-length: ${body.length}`;
    const request = (id: number) =>
      Buffer.concat([Buffer.from(`POST /graphql HTTP/1.1\r\nx-request-id: n${id}\r\n${headers}\r\n\r\n`), body]);
    const socket = connect(Number(subgraph.port), subgraph.hostname);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
    });
    const closed = once(socket, 'close');
    const ids = () => [...received.matchAll(/^x-request-id: n(\d+)/gm)].map(([, id]) => Number(id));
    const last = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    socket.write(Buffer.concat([...Array.from({ length: REQUESTS }, (_, id) => request(id)), Buffer.from(last)]));
    await once(socket, 'data');
    const other = await send(subgraph, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"query":"{ __typename }"}'),
    });
    expect(other.body).toEqual({ data: { __typename: 'Query' } });
    expect(ids().length).toBeLessThan(REQUESTS / 2);
    await closed;
    expect(ids()).toEqual(Array.from({ length: REQUESTS }, (_, id) => id));
    const statuses = [...received.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...Array(REQUESTS).fill(400), 200]);
  });
});
