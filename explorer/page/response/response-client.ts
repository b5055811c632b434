import type {
  FromWorker,
  OperationRequest,
  ResponseFailure,
  ResponseQueries,
  ResponseSummary,
  ToWorker,
} from './worker/protocol.ts';

/** How a request ended. */
export type ResponseEnd =
  | { readonly kind: 'done'; readonly summary: ResponseSummary }
  | { readonly kind: 'failed'; readonly failure: ResponseFailure };

/** A request under way. */
export interface RunningResponse {
  readonly responseId: number;
  /** Never rejects. */
  readonly ended: Promise<ResponseEnd>;
  abort(): void;
}

interface Started {
  readonly onProgress: (bytes: number, isComplete: boolean) => void;
  readonly onEnd: (end: ResponseEnd) => void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const started = new Map<number, Started>();
const pending = new Map<number, Pending>();
let worker: Worker | undefined;
let numbers = 0;

/** Sends an operation in the worker, which keeps the response. */
export function sendOperation(request: OperationRequest, onProgress: Started['onProgress']): RunningResponse {
  const responseId = ++numbers;
  const { promise, resolve } = Promise.withResolvers<ResponseEnd>();
  started.set(responseId, { onProgress, onEnd: resolve });
  post({ kind: 'start', responseId, request });
  return {
    responseId,
    ended: promise,
    abort: () => {
      started.delete(responseId);
      post({ kind: 'abort', responseId });
    },
  };
}

/**
 * Asks the worker about a response.
 *
 * @throws Error when the response was released
 */
export function queryResponse<Method extends keyof ResponseQueries>(
  responseId: number,
  method: Method,
  ...args: Parameters<ResponseQueries[Method]>
): Promise<Awaited<ReturnType<ResponseQueries[Method]>>> {
  const id = ++numbers;
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<ResponseQueries[Method]>>>();
  pending.set(id, { resolve: resolve as Pending['resolve'], reject });
  post({ kind: 'query', id, responseId, method, args });
  return promise;
}

function post(message: ToWorker): void {
  worker ??= createWorker();
  worker.postMessage(message);
}

function createWorker(): Worker {
  const created = new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module' });
  created.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data));
  // The worker has ended: usually, the browser has no more memory for it.
  created.addEventListener('error', ({ message }) => {
    created.terminate();
    worker = undefined;
    for (const { onEnd } of started.values()) onEnd({ kind: 'failed', failure: { kind: 'memory', detail: message } });
    for (const { reject } of pending.values()) reject(new Error('The response was lost. Run the query again.'));
    started.clear();
    pending.clear();
  });
  return created;
}

function receive(message: FromWorker): void {
  if (message.kind === 'result' || message.kind === 'rejected') {
    const query = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'result') query?.resolve(message.result);
    else query?.reject(new Error(message.reason));
    return;
  }
  const request = started.get(message.responseId);
  if (message.kind === 'progress') {
    request?.onProgress(message.bytes, message.isComplete);
    return;
  }
  started.delete(message.responseId);
  request?.onEnd(message);
}
