import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, respondWith, start, TOKEN } from '../support/harness.ts';
import { type ReceivedFile, receive, resultsPath } from '../support/results-files.ts';

const PATH = resultsPath('format=csv');
const browser = 'gzip, deflate, br, zstd';
const accepting = (acceptEncoding: string | string[]) => ({
  authorization: `Bearer ${TOKEN}`,
  'accept-encoding': acceptEncoding,
});

/** The text of a file, decoded as its headers say. */
function decode({ headers, bytes }: ReceivedFile): string {
  const coding = headers['content-encoding'];
  if (coding === 'zstd') return zstdDecompressSync(bytes).toString();
  if (coding === 'gzip') return gunzipSync(bytes).toString();
  expect(coding).toBeUndefined();
  return bytes.toString();
}

/** Results of one asset with so many rows, of about 60 bytes each in a file. */
function rowsOf(count: number, name = 'Field a') {
  const results = Array.from({ length: count }, (_, row) => ({
    value_date: `row ${row}`,
    metrics: [{ name: 'moisture', value: Math.sin(row) }],
  }));
  return { assets: [{ ...assetResult('a'), asset_name: name, results }] };
}

/*
 * Clause 3.42 of docs/contract.md in detail.
 * Files of results are compressed for clients whose `Accept-Encoding` accepts `zstd` or `gzip` (RFC 9110, section 12.5.3), but
 * Parquet is not: its columns are. The coding with the higher quality value is used, and Zstandard if both have the same; none if
 * the client prefers `identity`. `*` stands for what the header does not name. A malformed entry is not accepted. If a client accepts
 * nothing that there is, not even `identity`, it gets the file as it is. Without `Accept-Encoding` nothing is compressed.
 * - The decoded file is the same, byte for byte, and each file that may be compressed says `Vary: Accept-Encoding`.
 * - A file is compressed while it is written and sent, no faster than the client reads it, with a bounded amount of memory. A
 *   client that leaves ends the compression. A file that cannot be completed breaks the connection, before the end of the
 *   compressed data.
 * - GraphQL responses and errors are never compressed, so the length of a compressed text tells nothing of a ticket or a token.
 */
describe('3.42 The coding of a file', () => {
  const codings: [acceptEncoding: string | string[], coding: string | undefined][] = [
    ['', undefined],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['x-gzip', 'gzip'],
    ['GZip', 'gzip'],
    // Browsers; other clients.
    [browser, 'zstd'],
    ['br, deflate', undefined],
    [['gzip', 'zstd;q=0.5'], 'gzip'],
    ['gzip;q=0.5, zstd;q=0.501', 'zstd'],
    ['gzip ; q=0.5 , zstd;\tQ=0.5', 'zstd'],
    ['zstd;q=0, gzip;q=0.000', undefined],
    ['zstd;q=0, gzip', 'gzip'],
    ['*', 'zstd'],
    ['identity', undefined],
    ['identity, gzip;q=0.9', undefined],
    ['*;q=0.9, gzip;q=0.5, zstd;q=0.5', undefined],
    ['*;q=0, identity', undefined],
    // Malformed: what cannot be read is not accepted.
    ['gzip;q=2', undefined],
    ['gzip;q=0.1234', undefined],
    ['gzip;level=1', undefined],
    ['gzip;q=0.5;q=1', undefined],
    ['gzip, gzip;q=0', undefined],
    [',;=q,, ,gzip', 'gzip'],
    [`${'a,'.repeat(5000)}gzip`, 'gzip'],
  ];

  it('is chosen by the client', async () => {
    const bed = await start();
    const plain = await receive(bed, PATH);
    for (const [acceptEncoding, coding] of codings) {
      const file = await receive(bed, PATH, accepting(acceptEncoding));
      expect([file.status, file.isComplete, file.headers.vary]).toEqual([200, true, 'Accept-Encoding']);
      expect([acceptEncoding, file.headers['content-encoding']]).toEqual([acceptEncoding, coding]);
      expect(decode(file)).toBe(plain.text);
    }
  });

  it('is none for Parquet, and there is one for Arrow', async () => {
    const bed = await start();
    const { headers, bytes } = await receive(bed, resultsPath('format=parquet'), accepting(browser));
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    // The metadata of Arrow has the time, so two files differ.
    const file = await receive(bed, resultsPath('format=arrow'), accepting('gzip'));
    expect([file.headers['content-encoding'], decode(file).slice(0, 6)]).toEqual(['gzip', 'ARROW1']);
  });

  it.each(['csv', 'ndjson'])('leaves a file of any length as it is: %s', async (format) => {
    const bed = await start();
    for (const count of [0, 1, 20_000]) {
      respondWith(bed.simulator, { results: rowsOf(count) });
      const plain = await receive(bed, resultsPath(`format=${format}`));
      for (const coding of ['zstd', 'gzip']) {
        const file = await receive(bed, resultsPath(`format=${format}`), accepting(coding));
        expect([file.isComplete, file.headers['content-encoding']]).toEqual([true, coding]);
        // Not toBe: of a difference in megabytes it would make a page of text.
        expect(decode(file) === plain.text).toBe(true);
        if (count === 20_000) expect(file.bytes.length).toBeLessThan(plain.bytes.length / 2);
        // RFC 8878, section 3.1.1: the magic number of each frame.
        const frames = file.bytes.toString('latin1').split('\x28\xb5\x2f\xfd').length - 1;
        if (coding === 'zstd') expect(frames).toBe(1);
      }
    }
  });

  it('never has bytes of another file, among many at the same time', async () => {
    const bed = await start();
    const counts = [1, 300, 8000];
    bed.simulator.intercept(({ datasetId }) => {
      const number = Number(datasetId);
      return { status: 200, body: JSON.stringify(rowsOf(counts[number % counts.length] ?? 0, `Field ${number}`)) };
    });
    const numbers = Array.from({ length: 36 }, (_, number) => number);
    const ofCoding = (coding: string) =>
      Promise.all(
        numbers.map((number) =>
          receive(bed, resultsPath('format=csv', String(number)), accepting(coding)).then(decode),
        ),
      );
    const plain = await ofCoding('identity');
    expect(plain.map((text, number) => text.includes(`,Field ${number},`))).toEqual(numbers.map(() => true));
    for (const coding of ['zstd', 'gzip']) {
      const files = await ofCoding(coding);
      expect(files.map((text, number) => text === plain[number])).toEqual(numbers.map(() => true));
    }
  });
});

describe('3.42 GraphQL responses', () => {
  it.each([50, 10_000])('are sent as they are, whatever the client accepts: %s rows', async (count) => {
    const bed = await start();
    respondWith(bed.simulator, { results: rowsOf(count) });
    const document = ofDataset('results { series { nodes { rows { valueDate metrics { name value } } } } }');
    const ask = (headers: Record<string, string>) => bed.query(document, { headers });
    const plain = await ask({});
    const response = await ask({ 'accept-encoding': browser });
    expect(response.body.errors).toBeUndefined();
    expect(response.text === plain.text).toBe(true);
    const names = ['content-type', 'x-request-id', 'cache-control', 'date', 'connection'];
    const framing = count === 50 ? 'content-length' : 'transfer-encoding';
    expect(Object.keys(response.headers).toSorted()).toEqual([...names, framing].toSorted());
  });
});
