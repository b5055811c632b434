import type { Dispatcher, Pool } from 'undici';
import type { ArrivingBody } from '../../core/arriving-body.ts';
import type { BearerAuthorization } from '../../core/bearer-token.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { Admission, Breaker } from '../admission/breaker.ts';
import type { CallOwner } from '../admission/call-window.ts';
import type { MemoryBudget } from '../admission/memory-budget.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import type { RetryBudget } from '../admission/retries.ts';
import type { Call, Owner, Permit, Semaphore } from '../admission/semaphore.ts';
import type { ExchangeError } from '../contract/exchange-error.ts';
import { httpError } from '../contract/http-error.ts';
import { type Limit, RestError, type RestFailure } from '../contract/rest-error.ts';
import { ACCEPTED_ENCODINGS } from './encodings.ts';
import { Exchange, type ExchangeLimits, type ExchangeOwner, type HttpResponse } from './exchange.ts';
import type { OperationIdentity, RestCall, RestRequest, TracedCall } from './rest-call.ts';

/**
 * Is called when the service rejects a token (401), or does not let it read a dataset (403).
 *
 * @param datasetId the dataset; undefined if it is the token itself
 */
export type OnRejected = (authorization: BearerAuthorization, datasetId: string | undefined) => void;

/** Reports a response that says that a token may not read something, or nothing any more. */
export function reportRejection(
  status: number,
  authorization: BearerAuthorization,
  datasetId: string,
  onRejected: OnRejected,
): void {
  if (status === 401) onRejected(authorization, undefined);
  else if (status === 403) onRejected(authorization, datasetId);
}

/** What all calls share. */
export interface CallServices {
  readonly pool: Pool;
  /** Those of the pool that differ for these calls. */
  readonly settings: Pick<Dispatcher.DispatchOptions, 'reset' | 'headersTimeout' | 'bodyTimeout'>;
  readonly semaphore: Semaphore;
  readonly memory: MemoryBudget;
  readonly retries: RetryBudget;
  readonly limits: Readonly<Record<ServiceRequest['operation'], ExchangeLimits>>;
  /** Whether failed calls may be retried. */
  readonly retry: boolean;
  /** The maximum number of calls that wait for a socket, for the message of its error. */
  readonly queue: number;
  readonly onRejected: OnRejected;
}

/** One call of the service. */
export interface ServiceRequest extends RestRequest {
  readonly operation: Exclude<RestRequest['operation'], 'downloadStaticDataset'>;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The JSON of a POST. */
  readonly body: string | null;
  readonly identity: OperationIdentity;
  readonly onLargeBody: (body: ArrivingBody) => void;
  readonly holdBytes?: number | undefined;
}

/**
 * One call of metadata or results, from the queue to its result: it waits for a permit, asks the circuit breaker, is sent,
 * and records how it ended. It is one object in all these roles, because an operation may make hundreds of calls.
 */
export class ServiceCall implements Call, ExchangeOwner, RestCall {
  readonly owner: Owner;
  readonly memory: OperationMemory;
  readonly mayStall: boolean;
  readonly onLargeBody: (body: ArrivingBody) => void;
  readonly holdBytes: number | undefined;
  /** Rejects with a RestError. */
  readonly response: Promise<PooledBuffer>;
  readonly #request: ServiceRequest;
  readonly #services: CallServices;
  readonly #breaker: Breaker;
  readonly #breakerOwner: CallOwner;
  readonly #started = performance.now();
  #isQueued = false;
  /** When it was sent. */
  #sent: number | undefined;
  /** What was sent, for the observer; undefined until then. */
  #asked: RestRequest | undefined;
  #traced: TracedCall | undefined;
  readonly #exchange: Exchange;
  #permit: Permit | undefined;
  /** Undefined until it is sent. */
  #admission: Admission | undefined;

  constructor(request: ServiceRequest, breaker: Breaker, services: CallServices) {
    const { operation, identity, onLargeBody, holdBytes } = request;
    this.owner = identity.memory.operation;
    this.memory = identity.memory;
    this.mayStall = operation === 'getDatasetResults';
    this.onLargeBody = onLargeBody;
    this.holdBytes = holdBytes;
    this.#request = request;
    this.#services = services;
    this.#breaker = breaker;
    this.#breakerOwner = { operation: identity.memory.operation.age, token: identity.tokenId };
    this.#exchange = new Exchange(this.#limits, this);
    if (services.semaphore.wouldWait(this) && !breaker.isClosedFor(this.#breakerOwner)) {
      // It fails at once instead of waiting in the queue for a service that is down.
      this.#exchange.abort('circuitOpen');
    } else {
      this.#permit = services.semaphore.acquire(this);
      this.#isQueued = this.#sent === undefined;
    }
    this.response = this.#exchange.response.then(
      (response) => this.#end(response),
      (error) => this.#fail(error),
    );
  }

  /** Sends it, unless the circuit is open. */
  start(): void {
    // Another call of its operation has released the permit, when all of them were aborted.
    if (this.#exchange.isSettled) return;
    const { operation, datasetId, filter, method, path, body, identity } = this.#request;
    this.#admission = this.#breaker.admit(this.#breakerOwner);
    if (this.#admission === undefined) {
      this.#exchange.abort('circuitOpen');
      return;
    }
    const headers = ['authorization', identity.authorization, 'accept', 'application/json', 'accept-encoding'];
    headers.push(ACCEPTED_ENCODINGS);
    if (body !== null) headers.push('content-type', 'application/json');
    this.#sent = this.#isQueued ? performance.now() : this.#started;
    this.#asked = { operation, datasetId, filter };
    this.#traced = identity.observer.callSent(this.#asked, identity.resends, this.#sent - this.#started);
    if (this.#traced !== undefined) headers.push(...this.#traced.headers);
    this.#services.retries.deposit();
    const { pool, settings } = this.#services;
    pool.dispatch({ method, path, headers, body, ...settings }, this.#exchange);
  }

  reject(): void {
    this.#exchange.abort('queueFull');
  }

  onWait(isWaiting: boolean): void {
    this.#permit?.stall(isWaiting);
    // It may have been the last call that was making progress.
    if (isWaiting) this.#services.memory.serve();
  }

  get isPassing(): boolean {
    return this.#limits.isForFile || this.#exchange.isPassing;
  }

  /** The service works, whatever becomes of the rest of the body. */
  onPassing(): void {
    this.#permit?.pass();
    if (this.#admission !== undefined) this.#breaker.recordResponse(this.#breakerOwner, this.#admission, 200);
    this.#admission = undefined;
  }

  abort(failure: 'timeout' | 'cancelled'): void {
    this.#exchange.abort(failure);
  }

  #end({ status, headers, body }: HttpResponse): PooledBuffer {
    const { operation, datasetId, identity } = this.#request;
    if (this.#admission !== undefined) this.#breaker.recordResponse(this.#breakerOwner, this.#admission, status);
    this.#release();
    reportRejection(status, identity.authorization, datasetId, this.#services.onRejected);
    const error = status === 200 ? undefined : httpError(operation, status, headers, body.bytes, this.#mayRetry);
    this.#record(status, error);
    if (error !== undefined) throw error;
    return body;
  }

  /** @throws RestError */
  #fail(failed: ExchangeError): never {
    if (this.#admission !== undefined) this.#breaker.recordFailure(this.#breakerOwner, this.#admission, failed);
    this.#release();
    const { failure, status, cause } = failed;
    const limit = failed.limit ?? this.#limitOf(failure);
    const canRetry = this.#mayRetry && failure === 'unavailable' && status === null;
    const canRetryAtOnce = this.#services.retry && failed.isStale;
    const details = { status, cause, canRetry, canRetryAtOnce, ...(limit && { limit }) };
    const error = new RestError(this.#request.operation, failure, details);
    this.#record(status, error);
    throw error;
  }

  get #limits(): ExchangeLimits {
    return this.#services.limits[this.#request.operation];
  }

  get #mayRetry(): boolean {
    return this.#services.retry && this.#request.method === 'GET';
  }

  #release(): void {
    this.#permit?.release();
    this.#services.memory.serve();
  }

  #record(status: number | null, error: RestError | undefined): void {
    const { operation, identity } = this.#request;
    const started = this.#started;
    const milliseconds = performance.now() - started;
    const waited = this.#sent === undefined ? undefined : this.#sent - started;
    const bytes = this.#exchange.bytesReceived;
    const { observer, resends } = identity;
    const [request, traced] = [this.#asked, this.#traced];
    observer.callEnded({ operation, request, status, error, milliseconds, waited, bytes, resends, traced });
  }

  /** The setting that was exceeded. */
  #limitOf(failure: RestFailure): Limit | undefined {
    if (failure === 'queueFull') return { name: 'UPSTREAM_QUEUE', value: this.#services.queue };
    if (failure !== 'responseTooLarge') return undefined;
    const { maxBytes: value } = this.#limits;
    const isSetting = value === this.#services.limits.getDatasetResults.maxBytes;
    return { name: isSetting ? 'UPSTREAM_MAX_BYTES' : 'the limit for metadata', value };
  }
}
