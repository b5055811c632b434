/**
 * The REST service of the benchmark. The dataset id encodes the data: `1000x365x3` has 1000 assets with 365 dates of 3
 * metrics. odd-bodies.ts has further ids. `10x10x3-copy-1` is another dataset with the same data. Each body is prepared once.
 * GET /__calls returns the number of calls since the previous GET /__calls, and GET /__paced how far the last paced body is. It
 * also takes traces, and drops them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { asset, assetId, parseSize, results, summary } from './dataset.ts';
import { listen } from './listen.ts';
import { ODD_BASE, oddAssets } from './odd-bodies.ts';

/** The responses of one dataset. */
interface Prepared {
  readonly summary: Buffer;
  /** The assets by id, in the order of the dataset. */
  readonly assets: ReadonlyMap<string, Buffer>;
  /** The whole results response. */
  readonly whole: Buffer;
}

const datasets = new Map<string, Prepared>();
const summaryPath = '/v1/collection/dataset/summary/';
const resultsPath = '/v1/processingresult/dataset/';
const NOT_FOUND = Buffer.from('{"error":"NOT_FOUND"}');
const CHUNK_BYTES = 262_144;
/** The end of the id of a dataset whose body comes with so many megabytes a second; a network of 1 Gbit/s brings 125. */
const PACED = /-at-(\d+)-mb-s$/;
/** The end of an id that changes nothing in the data. */
const SAME_DATA = /-at-\d+-mb-s$|-copy-\d+$/;
let calls = 0;
/** How many bytes of the last paced body were written, and when the last of them, in milliseconds since the epoch. */
let paced = { bytes: 0, lastByteAt: 0 };

listen(async (request, response) => {
  const { method, url = '' } = request;
  if (url === '/__calls') {
    const body = Buffer.from(JSON.stringify({ calls }));
    calls = 0;
    return await respond(response, 200, body);
  }
  if (url === '/__paced') return await respond(response, 200, Buffer.from(JSON.stringify(paced)));
  if (url === '/v1/traces') {
    await bodyOf(request);
    return await respond(response, 200, Buffer.alloc(0));
  }
  calls += 1;
  const path = method === 'GET' ? summaryPath : resultsPath;
  const [, megabytes] = PACED.exec(url) ?? [];
  const asked = url.slice(path.length);
  const id = asked.replace(SAME_DATA, '');
  const dataset = url.startsWith(path) ? prepare(id) : undefined;
  if (dataset === undefined) await respond(response, 404, NOT_FOUND);
  else if (method === 'GET') await respond(response, 200, asked === id ? dataset.summary : summaryOf(asked, dataset));
  else if (megabytes !== undefined) await respondPaced(response, dataset.whole, Number(megabytes) * 1000);
  else await respond(response, 200, select(dataset, await bodyOf(request)));
});

function prepare(id: string): Prepared | undefined {
  const known = datasets.get(id);
  if (known !== undefined) return known;
  const size = parseSize(id);
  if (size === undefined) return prepareOdd(id);
  const assets = new Map(
    Array.from({ length: size.assets }, (_, index) => [assetId(index), asset(index, size)] as const),
  );
  const dataset = { summary: summary(id, size), assets, whole: join([...assets.values()]) };
  datasets.set(id, dataset);
  return dataset;
}

/** Prepares an odd body. It has no assets to request one by one. */
function prepareOdd(id: string): Prepared | undefined {
  const assets = oddAssets(id, () => [...(prepare(ODD_BASE)?.assets.values() ?? [])]);
  const size = parseSize(ODD_BASE);
  if (assets === undefined || size === undefined) return undefined;
  const dataset = { summary: summary(id, size), assets: new Map(), whole: join(assets) };
  datasets.set(id, dataset);
  return dataset;
}

/** The results response for a filter. Only `mo_ids` is supported. */
function select({ assets, whole }: Prepared, filter: string): Buffer {
  const assetIds: string[] | undefined = JSON.parse(filter).mo_ids;
  return assetIds === undefined ? whole : join(assetIds.flatMap((id) => assets.get(id) ?? []));
}

function join(assets: readonly Buffer[]): Buffer {
  const comma = Buffer.from(',');
  return Buffer.concat([
    results.start,
    ...assets.flatMap((asset, index) => (index > 0 ? [comma, asset] : asset)),
    results.end,
  ]);
}

/** The metadata of a dataset with the same data. */
function summaryOf(id: string, { summary }: Prepared): Buffer {
  return Buffer.from(JSON.stringify({ ...JSON.parse(summary.toString()), id }));
}

/** Sends a large body in chunks: a single write would block all other calls, unlike a real service. */
async function respond(response: ServerResponse, status: number, body: Buffer): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  if (body.length <= CHUNK_BYTES) response.end(body);
  else await pipeline(chunksOf(body), response).catch(abortedByClient);
}

/** Sends a body no faster than so many bytes in a millisecond. */
async function respondPaced(response: ServerResponse, body: Buffer, bytesPerMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  await pipeline(pacedChunksOf(body, bytesPerMs), response).catch(abortedByClient);
}

async function* pacedChunksOf(body: Buffer, bytesPerMs: number): AsyncGenerator<Buffer> {
  const started = performance.now();
  let bytes = 0;
  for await (const chunk of chunksOf(body)) {
    const early = bytes / bytesPerMs - (performance.now() - started);
    if (early >= 1) await setTimeout(early);
    bytes += chunk.length;
    paced = { bytes, lastByteAt: performance.timeOrigin + performance.now() };
    yield chunk;
  }
}

async function* chunksOf(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    yield body.subarray(at, at + CHUNK_BYTES);
    await setImmediate();
  }
}

/** A contestant that disconnects reports the reason itself. */
function abortedByClient(): void {}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}
