import { setTimeout } from 'node:timers/promises';
import { Client, type Dispatcher, Pool } from 'undici';

/** A request to repeat. */
export interface LoadRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The result of a load. */
export interface Load {
  /** Milliseconds from sending a request to the end of its response, for each response. */
  readonly latenciesMs: readonly number[];
  /** Seconds from the first request to the end of the last response. */
  readonly seconds: number;
  /** Bytes of all bodies. */
  readonly bytes: number;
}

const TIMEOUT_MS = 120_000;
const settings = { pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };

/** Keeps so many requests in flight, each on its own connection, until `isEnough` returns true. */
export async function saturate(
  request: LoadRequest,
  { connections, isEnough }: { connections: number; isEnough: (seconds: number) => boolean },
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
    } while (!isEnough((ended - started) / 1000));
  };
  try {
    await Promise.all(clients.map(work));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return { latenciesMs, seconds: (ended - started) / 1000, bytes };
}

/**
 * Sends a request at even intervals until `isEnough` returns true, without waiting for earlier responses, like independent
 * clients. Each request uses a free connection.
 */
export async function pace(
  request: LoadRequest,
  { everyMs, isEnough }: { everyMs: number; isEnough: (seconds: number) => boolean },
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
    for (let due = started; !isEnough((due - started) / 1000); due += everyMs) {
      await setTimeout(Math.max(0, due - performance.now()));
      const response = sendAndNote();
      responses.push(response);
      // Promise.all reports the error.
      response.catch(() => {});
    }
    await Promise.all(responses);
  } finally {
    await pool.destroy();
  }
  return { latenciesMs, seconds: (performance.now() - started) / 1000, bytes };
}

/** Sends one request and discards the body of its response. Returns the number of bytes. */
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
          else reject(new Error(`The status of a response under load is ${status}.`));
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
