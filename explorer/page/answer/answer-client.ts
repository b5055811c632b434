import type {
  AnswerFailure,
  AnswerQueries,
  AnswerRequest,
  AnswerSummary,
  FromWorker,
  ToWorker,
} from './worker/protocol.ts';

/** How a request ended. */
export type AnswerEnd =
  | { readonly kind: 'done'; readonly summary: AnswerSummary }
  | { readonly kind: 'failed'; readonly failure: AnswerFailure };

/** A request under way. */
export interface RunningAnswer {
  readonly ended: Promise<AnswerEnd>;
  abort(): void;
}

interface Started {
  readonly onProgress: (bytes: number, isComplete: boolean) => void;
  readonly onEnd: (end: AnswerEnd) => void;
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
export function startAnswer(request: AnswerRequest, onProgress: Started['onProgress']): RunningAnswer {
  const answer = ++numbers;
  const { promise, resolve } = Promise.withResolvers<AnswerEnd>();
  started.set(answer, { onProgress, onEnd: resolve });
  post({ kind: 'start', answer, request });
  return {
    ended: promise,
    abort: () => {
      started.delete(answer);
      post({ kind: 'abort', answer });
    },
  };
}

/**
 * Asks the worker about an answer.
 *
 * @throws Error when the answer was released
 */
export function queryAnswer<Method extends keyof AnswerQueries>(
  answer: number,
  method: Method,
  ...args: Parameters<AnswerQueries[Method]>
): Promise<Awaited<ReturnType<AnswerQueries[Method]>>> {
  const id = ++numbers;
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<AnswerQueries[Method]>>>();
  pending.set(id, { resolve: resolve as Pending['resolve'], reject });
  post({ kind: 'query', id, answer, method, args });
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
    for (const { reject } of pending.values()) reject(new Error('The answer was lost. Run the query again.'));
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
  const request = started.get(message.answer);
  if (message.kind === 'progress') {
    request?.onProgress(message.bytes, message.isComplete);
    return;
  }
  started.delete(message.answer);
  request?.onEnd(message);
}
