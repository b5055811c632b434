import { setTimeout } from 'node:timers/promises';
import { Client, type Dispatcher, Pool } from 'undici';

/** A request to repeat. */
export interface LoadRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The size of its response in bytes, if it is known. A response of another size is an error. */
  readonly responseBytes?: number | undefined;
}

/** Requests to one origin. */
export interface RequestSource {
  readonly origin: string;
  /** The next request to send. */
  readonly next: () => LoadRequest;
}

/** Requests to one origin in turn, again and again. */
export function repeat(first: LoadRequest, ...others: readonly LoadRequest[]): RequestSource {
  const requests = [first, ...others];
  let sent = 0;
  return { origin: first.origin, next: () => requests[sent++ % requests.length] ?? first };
}

/** The result of a load. */
export interface Load {
  /** Milliseconds from sending a request to the end of its response, for each response. */
  readonly latenciesMs: readonly number[];
  /** Seconds from the first request to the end of the last response. */
  readonly seconds: number;
}

const TIMEOUT_MS = 120_000;
const settings = { pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };

/** Keeps so many requests in flight, each on its own connection, until `isEnough` returns true. */
export async function saturate(
  { origin, next }: RequestSource,
  { connections, isEnough }: { connections: number; isEnough: (seconds: number) => boolean },
): Promise<Load> {
  const clients = Array.from({ length: connections }, () => new Client(origin, settings));
  const latenciesMs: number[] = [];
  const started = performance.now();
  let ended = started;
  const work = async (client: Client) => {
    do {
      const sent = performance.now();
      await send(client, next());
      ended = performance.now();
      latenciesMs.push(ended - sent);
    } while (!isEnough((ended - started) / 1000));
  };
  try {
    await Promise.all(clients.map(work));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return { latenciesMs, seconds: (ended - started) / 1000 };
}

/**
 * Sends requests at even intervals until `isEnough` returns true, without waiting for earlier responses, like independent
 * clients. Each request uses a free connection.
 */
export async function pace(
  { origin, next }: RequestSource,
  { everyMs, isEnough }: { everyMs: number; isEnough: (seconds: number) => boolean },
): Promise<Load> {
  const pool = new Pool(origin, settings);
  const latenciesMs: number[] = [];
  const started = performance.now();
  const sendAndNote = async () => {
    const sent = performance.now();
    await send(pool, next());
    latenciesMs.push(performance.now() - sent);
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
  return { latenciesMs, seconds: (performance.now() - started) / 1000 };
}

/** Sends one request and discards the body of its response. */
function send(client: Dispatcher, request: LoadRequest): Promise<void> {
  const { path, method, headers, body, responseBytes } = request;
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
          if (status !== 200) reject(new Error(`The status of a response under load is ${status}.`));
          else if (bytes !== (responseBytes ?? bytes))
            reject(new Error(`A response under load has ${bytes} bytes, not ${responseBytes}.`));
          else resolve();
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
