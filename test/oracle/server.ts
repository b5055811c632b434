import { gzipSync } from 'node:zlib';
import { Pool } from 'undici';
import { onTestFinished } from 'vitest';
import { type Setup, start, type TestBed, TOKEN } from '../support/harness.ts';
import { pieces } from '../support/pieces.ts';
import { parseJson } from './body.ts';
import type { Filter, Service } from './respond.ts';

/** A subgraph for many cases, whose REST service is that of the case. */
export interface Server {
  readonly bed: TestBed;
  /** The service of the next requests. */
  service: Service | undefined;
  /** The sizes of the pieces in which results arrive, without a length; undefined: as a whole. */
  pieces: readonly number[] | undefined;
  /** Whether results are compressed. */
  isCompressed: boolean;
  /** Sends an operation. Returns the text of the response; undefined if the connection broke. */
  send(document: string, variables: Record<string, unknown>): Promise<string | undefined>;
  /** Downloads a file. Returns its bytes; undefined if there is none, or if the connection broke. */
  download(path: string): Promise<Buffer | undefined>;
}

interface Bounds {
  get(name: string): { readonly text: string } | undefined;
}

/** A filter as the service gets it (REST specification, section 2.2). */
function filterIn(body: string): Filter {
  const filter = parseJson(body) as ReadonlyMap<string, unknown>;
  const range = filter.get('time_range') as Bounds | undefined;
  const bound = (name: string) => {
    const number = range?.get(name);
    return number && BigInt(number.text);
  };
  return {
    assetIds: filter.get('mo_ids') as string[] | undefined,
    start: bound('start_date'),
    stop: bound('stop_date'),
  };
}

/** Limits that the oracle does not know. */
const UNLIMITED = {
  LOG_LEVEL: 'silent',
  OPERATION_TIMEOUT_MS: '300000',
  // The service works in the same process.
  UPSTREAM_TIMEOUT_MS: '300000',
  MAX_OPERATION_WORK: '1000000000000',
  UPSTREAM_MAX_CALLS: '1000000',
};

/** A connection broke, perhaps before a byte of the response had been sent. */
const broken = () => undefined;

export async function startServer({ env, ...setup }: Setup): Promise<Server> {
  const bed = await start({ ...setup, env: { ...UNLIMITED, ...env } });
  const pool = new Pool(new URL(bed.subgraph.url).origin, { connections: 4 });
  onTestFinished(() => pool.close());
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  const server: Server = {
    bed,
    service: undefined,
    pieces: undefined,
    isCompressed: false,
    send: (query, variables) => {
      const body = JSON.stringify({ query, variables });
      const response = pool.request({ path: '/graphql', method: 'POST', headers, body });
      return response.then((begun) => begun.body.text()).catch(broken);
    },
    download: (path) => {
      const response = pool.request({ path, method: 'GET', headers });
      const bytes = response.then(async ({ statusCode, body }) => [statusCode, await body.bytes()] as const);
      return bytes.then(([status, read]) => (status === 200 ? Buffer.from(read) : undefined)).catch(broken);
    },
  };
  bed.simulator.intercept(({ operation, datasetId = '', body }) => {
    const { service } = server;
    if (service === undefined) return undefined;
    if (operation === 'getDatasetMetadata') return service.metadata(datasetId);
    const reply = service.results(datasetId, filterIn(body));
    const bytes = reply.bytes ?? Buffer.from(reply.body);
    if (bytes.length === 0) return reply;
    const sent = server.isCompressed ? gzipSync(bytes) : bytes;
    const headers = server.isCompressed ? { 'content-encoding': 'gzip' } : {};
    // Tiny pieces of all of a body would take too long.
    const sizes = server.pieces?.concat(Math.ceil(sent.length / 50));
    return { status: reply.status, headers, body: sizes === undefined ? sent : pieces(sent, sizes) };
  });
  return server;
}
