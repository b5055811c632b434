import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { pick, randomNumbers } from './random.ts';
import { SMALL, TOKEN } from './service.ts';
import type { Tally } from './tally.ts';
import { columns, newDocuments, type Work, works } from './works.ts';

const CONNECTIONS = 24;
const DISCONNECTING_SHARE = 0.03;
const TIMEOUT_MS = 60_000;

/** The operations that the subgraph accepts at once: more than the connections, and fewer than a burst. */
export const MAX_OPERATIONS = 48;
const BURST = 2 * MAX_OPERATIONS;

const random = randomNumbers(2);
let sentCount = 0;

/** A kind of load. */
export interface Load {
  readonly milliseconds: number;
  /** Whether clients leave before the end of some responses. */
  readonly disconnecting: boolean;
}

/** Keeps requests of all kinds in flight for this time, and waits until all have ended. */
export async function load(endpoint: URL, tally: Tally, { milliseconds, disconnecting }: Load): Promise<void> {
  const until = performance.now() + milliseconds;
  const share = disconnecting ? DISCONNECTING_SHARE : 0;
  await inFlight(endpoint, tally, CONNECTIONS, share, () =>
    performance.now() < until ? pick(works, random) : undefined,
  );
}

/** Fills the bounded document cache, so that it does not grow during the measurement. */
export async function fillCaches(endpoint: URL, tally: Tally): Promise<void> {
  let remaining = 2000;
  await inFlight(endpoint, tally, CONNECTIONS, 0, () => (remaining-- > 0 ? newDocuments : undefined));
}

/** Sends more operations at once than the subgraph accepts, and something that is no HTTP. */
export async function overload(endpoint: URL, tally: Tally): Promise<void> {
  let remaining = BURST;
  await Promise.all([
    inFlight(endpoint, tally, BURST, 0, () => (remaining-- > 0 ? columns : undefined)),
    sendInvalid(endpoint, tally),
  ]);
}

async function inFlight(
  endpoint: URL,
  tally: Tally,
  connections: number,
  share: number,
  next: () => Work | undefined,
): Promise<void> {
  const pool = new Pool(endpoint.origin, {
    connections,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const worker = async () => {
    for (let work = next(); work !== undefined; work = next()) {
      const isLeaving = random() < share;
      await sendOne(pool, endpoint.pathname, work, tally, isLeaving);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
  } finally {
    await pool.destroy();
  }
}

async function sendOne(pool: Pool, graphqlPath: string, { body }: Work, tally: Tally, isLeaving: boolean) {
  sentCount += 1;
  tally.requests += 1;
  const leaving = isLeaving ? new AbortController() : undefined;
  if (leaving) void setTimeout(random() * 40).then(() => leaving.abort());
  const authorization = `Bearer ${TOKEN}`;
  const path = body ? graphqlPath : `/download/dataset/${SMALL}`;
  try {
    const response = await pool.request({
      path,
      ...(body
        ? {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization },
            body: JSON.stringify(body(sentCount)),
          }
        : { method: 'GET', headers: { authorization } }),
      ...(leaving && { signal: leaving.signal }),
    });
    tally.answered(path, response.statusCode, Buffer.from(await response.body.arrayBuffer()));
  } catch {
    if (leaving?.signal.aborted) tally.disconnected += 1;
    else if (!body) tally.truncated += 1;
    else tally.failed += 1;
  }
}

async function sendInvalid({ hostname, port }: URL, tally: Tally): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.end('This is no HTTP.\r\n\r\n');
  const response = await text(socket);
  await once(socket, 'close');
  if (!response.startsWith('HTTP/1.1 400 ')) tally.failed += 1;
}
