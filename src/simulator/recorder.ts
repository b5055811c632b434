import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, routeOf } from './routes.ts';

/** A request as it came over the wire. */
export interface RecordedRequest {
  /** Told by the path alone, whatever the method; undefined: no such endpoint. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** The request target exactly as received: path and query, still encoded. */
  readonly target: string;
  /** Lower-cased names, all values: a header sent twice has two. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The body text; as much as arrived, if the caller left while sending. */
  readonly body: string;
  /** The decoded path parameter; undefined: there is none, or it does not decode. */
  readonly datasetId: string | undefined;
  /**
   * Settles as `answered` when the last byte went to the operating system, as `aborted` when the connection ended
   * before: the caller dropped it, or the simulator broke it.
   */
  readonly outcome: Promise<'answered' | 'aborted'>;
}

/** The log of requests. */
export interface Recorder {
  /** Grows and is emptied in place. */
  readonly requests: readonly RecordedRequest[];
  /** Reads a request to its end and logs it. */
  record(request: IncomingMessage, response: ServerResponse): Promise<RecordedRequest>;
  clear(): void;
}

/** An empty log. */
export function createRecorder(): Recorder {
  const requests: RecordedRequest[] = [];
  // Beside each request the number of its arrival: bodies may end in another order than heads came.
  const arrivals: number[] = [];
  let arrived = 0;

  return {
    requests,
    async record(request, response) {
      const arrival = arrived++;
      const outcome = outcomeOf(request, response);
      const body = await bodyOf(request);
      const { method = '', url: target = '' } = request;
      const { endpoint, datasetId } = routeOf(target);
      const headers = { ...request.headersDistinct } as Record<string, string[]>;
      const recorded = { operation: endpoint?.operation, method, target, headers, body, datasetId, outcome };
      const place = arrivals.findLastIndex((earlier) => earlier < arrival) + 1;
      arrivals.splice(place, 0, arrival);
      requests.splice(place, 0, recorded);
      return recorded;
    },
    clear() {
      requests.length = 0;
      arrivals.length = 0;
    },
  };
}

function outcomeOf(request: IncomingMessage, response: ServerResponse): RecordedRequest['outcome'] {
  const { promise, resolve } = Promise.withResolvers<'answered' | 'aborted'>();
  const { socket } = request;
  const onClose = () => resolve('aborted');
  // The socket, not the response: a response that waits behind another on its connection hears nothing of the end.
  socket.once('close', onClose);
  response.once('finish', () => {
    socket.off('close', onClose);
    // Node.js 22 also says so of what could not be sent any more.
    resolve(socket.destroyed ? 'aborted' : 'answered');
  });
  return promise;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
    }
  } catch {
    // The caller left while sending. What arrived is recorded, the outcome tells the rest.
  }
  return Buffer.concat(chunks).toString();
}
