import { setTimeout } from 'node:timers/promises';
import { Client, type Dispatcher, Pool } from 'undici';

/** A request that is made again and again. */
export interface LoadRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What came of it. */
export interface Load {
  /** Milliseconds from a request's leaving to the end of its answer, one number for each answer. */
  readonly latenciesMs: readonly number[];
  /** Seconds from the first request to the end of the last answer. */
  readonly seconds: number;
  /** Bytes of all bodies. */
  readonly bytes: number;
}

const PATIENCE_MS = 120_000;
const settings = { pipelining: 1, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS };

/** Keeps so many requests in flight, each on its own connection, until it is told that it is enough. */
export async function saturate(
  request: LoadRequest,
  { connections, enough }: { connections: number; enough: (seconds: number) => boolean },
): Promise<Load> {
  const clients = Array.from({ length: connections }, () => new Client(request.origin, settings));
  const latenciesMs: number[] = [];
  const started = performance.now();
  let ended = started;
  let bytes = 0;
  const work = async (client: Client) => {
    do {
      const sent = performance.now();
      const received = await send(client, request);
      ended = performance.now();
      bytes += received;
      latenciesMs.push(ended - sent);
    } while (!enough((ended - started) / 1000));
  };
  try {
    await Promise.all(clients.map(work));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return { latenciesMs, seconds: (ended - started) / 1000, bytes };
}

/**
 * Makes a request at even intervals until it is told that it is enough, whether those before it are answered or not, as
 * callers do who know nothing of each other. Each takes a connection that is free.
 */
export async function pace(
  request: LoadRequest,
  { everyMs, enough }: { everyMs: number; enough: (seconds: number) => boolean },
): Promise<Load> {
  const pool = new Pool(request.origin, settings);
  const latenciesMs: number[] = [];
  const started = performance.now();
  let bytes = 0;
  const sendAndNote = async () => {
    const sent = performance.now();
    const received = await send(pool, request);
    latenciesMs.push(performance.now() - sent);
    bytes += received;
  };
  try {
    const responses: Promise<void>[] = [];
    for (let due = started; !enough((due - started) / 1000); due += everyMs) {
      await setTimeout(Math.max(0, due - performance.now()));
      const response = sendAndNote();
      responses.push(response);
      // Reported below.
      response.catch(() => {});
    }
    await Promise.all(responses);
  } finally {
    await pool.destroy();
  }
  return { latenciesMs, seconds: (performance.now() - started) / 1000, bytes };
}

/** One request; the number of bytes of its answer's body, which is not kept. */
function send(client: Dispatcher, request: LoadRequest): Promise<number> {
  const { path, method, headers, body } = request;
  return new Promise((resolve, reject) => {
    let status = 0;
    let bytes = 0;
    client.dispatch(
      { path, method, headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: (_controller, chunk) => {
          bytes += chunk.length;
        },
        onResponseEnd: () => {
          if (status === 200) resolve(bytes);
          else reject(new Error(`The status of an answer under load is ${status}.`));
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
