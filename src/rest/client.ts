import { once } from 'node:events';
import { Pool } from 'undici';
import type { ArrivingBody } from '../core/arriving-body.ts';
import { type BearerAuthorization, identityOf, tokenOf } from '../core/bearer-token.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { pathSegment } from '../core/dataset-id.ts';
import { Breaker } from './breaker.ts';
import { type RestCallRecord, recordOf } from './call-record.ts';
import { connectionFailure } from './connection-failure.ts';
import { type DownloadedFile, receiveFile } from './downloaded-file.ts';
import { ACCEPTED_ENCODINGS } from './encodings.ts';
import { type Limit, RestError, type RestFailure, type RestOperation } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeError } from './exchange-error.ts';
import { firstBytes, httpError } from './http-error.ts';
import { LABEL_SEARCH_BYTES } from './labels.ts';
import { MemoryBudget } from './memory-budget.ts';
import type { OperationMemory } from './operation-memory.ts';
import { filterBody, type ResultsFilter } from './results-filter.ts';
import { RetryBudget } from './retries.ts';
import { Semaphore } from './semaphore.ts';
import { ServiceConnection } from './service-connection.ts';

/** A connection, TLS included, does not wait for the service's own work. */
const CONNECT_TIMEOUT_MS = 5_000;

/** What a client of the REST service has to know. */
export interface RestClientOptions {
  /** {base_url}; a path prefix is kept. */
  readonly baseUrl: URL;
  /** Milliseconds until an answer's head; and, of a file, until more of it comes. */
  readonly headersTimeoutMs: number;
  /** The number of sockets, and so of calls under way, downloads apart. */
  readonly connections: number;
  /** Milliseconds until a connection that nothing is sent on is closed, where the service does not say how long it keeps it. */
  readonly keepAliveMs: number;
  /** The number of sockets for downloads. Whoever starts more of them lets them wait without a bound. */
  readonly downloads: number;
  /** How many calls may wait for a socket. */
  readonly queue: number;
  /** The largest answer accepted, in decoded bytes. */
  readonly maxBytes: number;
  /** How many bytes of answers, and of what is built from them, may be held at the same time. */
  readonly memoryBytes: number;
  /** Whether a call that has failed may be repeated. */
  readonly retry: boolean;
  /** Milliseconds without calls when the service is down; 0: it is called nevertheless. */
  readonly circuitOpenMs: number;
  /** Is told when an operation of the service is no longer called, because it is down, and when it is again. */
  readonly onCircuitChange: (operation: RestOperation, isDown: boolean) => void;
  /** Is told of every call when it has ended. */
  readonly onCall: (call: RestCallRecord) => void;
}

/** Who calls. */
export interface ClientIdentity {
  readonly authorization: BearerAuthorization;
  readonly requestId: string;
}

/** Who calls, within a GraphQL operation. */
export interface OperationIdentity extends ClientIdentity {
  /** What the operation holds of the memory budget. Calls with the same one share what one operation may have. */
  readonly memory: OperationMemory;
}

/** A call under way. `abort` ends it at once; its answer then rejects with that failure. */
export interface RestCall<T = PooledBuffer> {
  readonly response: Promise<T>;
  abort(failure: 'timeout' | 'cancelled'): void;
}

/**
 * The three operations of the REST service (REST specification, section 4). Metadata and results share a pool of
 * connections, with a bounded queue before it (semaphore.ts); each has a circuit breaker (breaker.ts). Downloads pass these by, on
 * connections of their own: a file may take an hour, and nobody else is to wait for it. Knows no caller: each call is given
 * its own. Redirects are not followed, so that a token never reaches another host.
 */
export class RestClient {
  /** The memory of all operations together. */
  readonly memory: MemoryBudget;
  readonly #options: RestClientOptions;
  readonly #pool: Pool;
  readonly #downloads: Pool;
  readonly #semaphore: Semaphore;
  /** For each operation: a service whose results fail may well have metadata. */
  readonly #breakers: Readonly<Record<'getDatasetMetadata' | 'getDatasetResults', Breaker>>;
  readonly #retries = new RetryBudget();
  /** The path prefix of {base_url}, without a slash at its end. */
  readonly #prefix: string;

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#prefix = options.baseUrl.pathname.replace(/\/+$/, '');
    const pool = {
      pipelining: 1,
      allowH2: false,
      connectTimeout: Math.min(options.headersTimeoutMs, CONNECT_TIMEOUT_MS),
      keepAliveTimeout: options.keepAliveMs,
    };
    this.#pool = new Pool(options.baseUrl.origin, {
      ...pool,
      factory: (origin, settings) => new ServiceConnection(origin, settings),
      connections: options.connections,
      // The exchange has a timer of its own for the head, exact where undici's are coarse, and the whole operation
      // has a deadline, which bounds the body.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#downloads = new Pool(options.baseUrl.origin, {
      ...pool,
      connections: options.downloads,
      headersTimeout: options.headersTimeoutMs,
      // Between two pieces of a body; it does not run while the caller takes none.
      bodyTimeout: options.headersTimeoutMs,
    });
    this.#semaphore = new Semaphore(options.connections, options.queue);
    this.memory = new MemoryBudget(options.memoryBytes, (operation) => this.#semaphore.isStalled(operation));
    const breakerOf = (operation: RestOperation) =>
      new Breaker({ openMs: options.circuitOpenMs, onChange: (isOpen) => options.onCircuitChange(operation, isOpen) });
    this.#breakers = {
      getDatasetMetadata: breakerOf('getDatasetMetadata'),
      getDatasetResults: breakerOf('getDatasetResults'),
    };
  }

  /** Section 4.1. The answer is the body of a 200; it rejects with a RestError. */
  getDatasetMetadata(datasetId: string, identity: OperationIdentity): RestCall {
    const path = `${this.#prefix}/v1/collection/dataset/summary/${pathSegment(datasetId)}`;
    return this.#call('getDatasetMetadata', 'GET', path, identity);
  }

  /** Section 4.3. The answer is the body of a 200; it rejects with a RestError. A filter is sent as given. */
  getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    identity: OperationIdentity,
    onLargeBody: (body: ArrivingBody) => void,
  ): RestCall {
    const path = `${this.#prefix}/v1/processingresult/dataset/${pathSegment(datasetId)}`;
    return this.#call('getDatasetResults', 'POST', path, identity, { body: filterBody(filter), onLargeBody });
  }

  /** Whether a call that has failed so may be made once more; if so, that counts as done. */
  mayRetry(error: RestError): boolean {
    return error.canRetry && this.#retries.tryWithdraw();
  }

  /**
   * Section 4.2. The file as a stream, once the first of it is there; not limited in size or time, but ended when the
   * service falls silent. `signal` ends it, too. No encoding is asked for; where there is one nevertheless, it is decoded.
   *
   * @throws RestError when the service has no file for the caller
   */
  async downloadStaticDataset(
    datasetId: string,
    identity: ClientIdentity,
    signal?: AbortSignal,
  ): Promise<DownloadedFile> {
    const operation = 'downloadStaticDataset';
    if (signal?.aborted) throw new RestError(operation, 'cancelled');
    const started = performance.now();
    const { requestId } = identity;
    const record = (bytes: number, status: number | null, error?: RestError) =>
      this.#options.onCall(recordOf({ operation, requestId, started, bytes, status, error }));
    const fail = (error: RestError, bytes: number) => {
      record(bytes, error.status, error);
      return error;
    };
    const failed = (failure: RestFailure, status: number | null, cause: unknown, bytes = 0) =>
      fail(new RestError(operation, signal?.aborted ? 'cancelled' : failure, { status, cause }), bytes);
    // A connection of its own: there is no repetition, should an old one have been closed by the service meanwhile.
    const request = { method: 'GET', path: this.#downloadPath(datasetId), reset: true } as const;
    const headers = { authorization: identity.authorization, 'accept-encoding': 'identity' };
    const response = await this.#downloads
      .request({ ...request, headers, ...(signal && { signal }) })
      .catch((thrown) => {
        throw failed(connectionFailure(thrown, false), null, thrown);
      });
    const { statusCode: status, body } = response;
    if (status !== 200) {
      const bytes = await firstBytes(body, this.#options.headersTimeoutMs);
      throw fail(httpError(operation, status, response.headers, bytes, false), bytes.length);
    }
    let ended: RestError | undefined;
    const file = receiveFile(response.headers, body, (bytes, end) => {
      if (end === undefined) record(bytes, status);
      else ended = failed(end.failure, status, end.cause, bytes);
    });
    if (file === undefined) {
      body.on('error', () => {}).destroy();
      throw failed('invalidResponse', status, undefined);
    }
    await once(file.body, 'readable').catch((thrown) => {
      throw ended ?? thrown;
    });
    return file;
  }

  /** The URL of a dataset's file (section 4.2); with a token in it where `authorization` is given. */
  downloadUrl(datasetId: string, authorization?: BearerAuthorization): string {
    const url = `${this.#options.baseUrl.origin}${this.#downloadPath(datasetId)}`;
    return authorization === undefined ? url : `${url}?authToken=${encodeURIComponent(tokenOf(authorization))}`;
  }

  /** Waits for the calls under way, then closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#downloads.close()]);
  }

  #downloadPath(datasetId: string): string {
    return `${this.#prefix}/v1/collection/staticdataset/${pathSegment(datasetId)}/download`;
  }

  #call(
    operation: 'getDatasetMetadata' | 'getDatasetResults',
    method: 'GET' | 'POST',
    path: string,
    identity: OperationIdentity,
    { body, onLargeBody = () => {} }: { body?: string; onLargeBody?: (body: ArrivingBody) => void } = {},
  ): RestCall {
    const { headersTimeoutMs, maxBytes, retry } = this.#options;
    const { memory } = identity;
    const breaker = this.#breakers[operation];
    const breakerOwner = { operation: memory.age, token: identityOf(identity.authorization) };
    const mayRetry = retry && method === 'GET';
    const started = performance.now();
    const record = (status: number | null, error?: RestError) => {
      const bytes = exchange.bytesReceived;
      this.#options.onCall(recordOf({ operation, requestId: identity.requestId, started, bytes, status, error }));
    };
    const onWait = (isWaiting: boolean) => {
      permit.stall(isWaiting);
      // It may have been the last one that moved.
      if (isWaiting) this.memory.serve();
    };
    const exchange = new Exchange({
      headersTimeoutMs,
      maxBytes,
      maxErrorBytes: LABEL_SEARCH_BYTES,
      memory,
      onWait,
      onLargeBody,
    });
    const headers: Record<string, string> = {
      authorization: identity.authorization,
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const send = () => {
      this.#retries.deposit();
      this.#pool.dispatch({ method, path, headers, body: body ?? null }, exchange);
      return exchange.response;
    };
    const call = {
      owner: memory,
      mayStall: operation === 'getDatasetResults',
      start: () => breaker.execute(breakerOwner, send, () => exchange.abort('circuitOpen')),
      refuse: () => exchange.abort('queueFull'),
    };

    // Behind calls that may all be stuck nobody waits for a service that is down.
    if (this.#semaphore.wouldWait(call) && !breaker.isClosedFor(breakerOwner))
      return failedCall(new RestError(operation, 'circuitOpen'));
    const permit = this.#semaphore.take(call);
    const release = () => {
      permit.release();
      this.memory.serve();
    };
    const response = exchange.response.then(
      ({ status, headers: received, body }) => {
        release();
        const error = status === 200 ? undefined : httpError(operation, status, received, body.bytes, mayRetry);
        record(status, error);
        if (error !== undefined) throw error;
        return body;
      },
      (failed: ExchangeError) => {
        release();
        const { failure, status, cause } = failed;
        const limit = failed.limit ?? this.#limitOf(failure);
        const canRetry = mayRetry && failure === 'unavailable' && status === null;
        const canRetryAtOnce = retry && failed.isStale;
        const details = { status, cause, canRetry, canRetryAtOnce, ...(limit && { limit }) };
        const error = new RestError(operation, failure, details);
        // A service that is down has its one line already.
        if (failure !== 'circuitOpen') record(status, error);
        throw error;
      },
    );
    return { response, abort: (failure) => exchange.abort(failure) };
  }

  /** The setting that a failure is about. */
  #limitOf(failure: RestFailure): Limit | undefined {
    if (failure === 'queueFull') return { name: 'UPSTREAM_QUEUE', value: this.#options.queue };
    if (failure === 'responseTooLarge') return { name: 'UPSTREAM_MAX_BYTES', value: this.#options.maxBytes };
    return undefined;
  }
}

/** Private. A call that was not made. */
function failedCall(error: RestError): RestCall {
  return { response: Promise.reject(error), abort: () => {} };
}
