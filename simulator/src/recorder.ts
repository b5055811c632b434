import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, routeOf } from './routes.ts';

/** A request as received. */
export interface RecordedRequest {
  /** Depends on the path only, not on the method; undefined: no such endpoint. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** The request target exactly as received: path and query, still encoded. */
  readonly target: string;
  /** All values by lower-case name: a header sent twice has two. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The body text; only the part received, if the client disconnected while sending. */
  readonly body: string;
  /** The decoded path parameter; undefined: there is none, or it cannot be decoded. */
  readonly datasetId: string | undefined;
  /**
   * Resolves to `answered` when the last byte of the response went to the operating system, and to `aborted` when the
   * client or the simulator closed the connection before.
   */
  readonly outcome: Promise<'answered' | 'aborted'>;
}

/** The log of requests. */
export interface Recorder {
  /** Always the same array. */
  readonly requests: readonly RecordedRequest[];
  /** Reads a request to its end and logs it. */
  record(request: IncomingMessage, response: ServerResponse): Promise<RecordedRequest>;
  clear(): void;
}

/** An empty log. */
export function createRecorder(): Recorder {
  const requests: RecordedRequest[] = [];
  // The arrival number of each request: bodies may end in a different order than their headers arrived.
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
      const index = arrivals.findLastIndex((earlier) => earlier < arrival) + 1;
      arrivals.splice(index, 0, arrival);
      requests.splice(index, 0, recorded);
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
  // The socket, not the response: a response that waits behind another on its connection gets no `close` event.
  socket.once('close', onClose);
  response.once('finish', () => {
    socket.off('close', onClose);
    // Node.js 22 also emits `finish` for a response that could not be sent.
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
    // The client disconnected while sending. The received part is recorded, and the outcome is `aborted`.
  }
  return Buffer.concat(chunks).toString();
}
