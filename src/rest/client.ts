import { type BearerAuthorization, identityOf, tokenOf } from '../core/bearer-token.ts';
import type { Body } from '../core/body.ts';
import { type BodySizes, bodySizes, bodySizesFor } from '../core/body-sizes.ts';
import { pathSegment } from '../core/dataset-id.ts';
import type { Usage } from '../core/usage.ts';
import { Breaker, type BreakerOptions, type GuardedOperation } from './admission/breaker.ts';
import { Memory } from './admission/memory.ts';
import { Operation } from './admission/operation.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import { RetryBudget } from './admission/retries.ts';
import { Semaphore } from './admission/semaphore.ts';
import { type Limit, RestError } from './contract/rest-error.ts';
import { filterBody, type ResultsFilter } from './contract/wire.ts';
import { Call } from './transport/call.ts';
import {
  type CallKind,
  type CallServices,
  FILE_BODY_BYTES,
  MIN_AHEAD_BYTES,
  type OnRejected,
} from './transport/call-kind.ts';
import { ACCEPTED_ENCODINGS } from './transport/encodings.ts';
import { MAX_REDIRECTS, Redirects } from './transport/redirects.ts';
import type { ClientIdentity, OperationIdentity, RestCall } from './transport/rest-call.ts';
import { ServiceConnection } from './transport/service-connection.ts';
import { DIRECT, type RouteOptions, ServicePool } from './transport/service-pool.ts';

/** What of the body of results its reader may drop: what it has passed on, or what nobody needs. Undefined: nothing. */
export type Droppable = 'what was sent' | 'what is not needed' | undefined;

/** A call has its own, more exact timers. */
const WITHOUT_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** What waits of a download for its client, and the memory for it, which is not of the budget. A reader is woken for so much. */
const DOWNLOAD_AHEAD_BYTES = bodySizes.wake;
const DOWNLOAD_BYTES = 2 << 20;

/** The headers that say what is accepted. No coding is asked for of a file of a static dataset. */
const ACCEPTED = ['accept', 'application/json', 'accept-encoding', ACCEPTED_ENCODINGS];
const ACCEPTED_OF_DOWNLOADS = ['accept-encoding', 'identity'];

/** Metadata are a few texts. One of so many bytes is decoded in some 20 ms. */
const MAX_METADATA_BYTES = 4 * 2 ** 20;

/** Connecting, including TLS, takes less time than a response, which needs the service's own work. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A call that waits longer for a connection needs one that a slow client holds. As a rule a call takes less. */
const MAX_HELD_UP_MS = 1000;

export interface RestClientOptions extends BreakerOptions {
  /** {base_url}, with its path prefix. */
  readonly baseUrl: URL;
  /** How it is reached. Absent: directly. */
  readonly route?: RouteOptions;
  /** Milliseconds until the headers of a response; for a file also between two chunks. */
  readonly headersTimeoutMs: number;
  /** The number of sockets, and so of concurrent calls, without downloads. */
  readonly connections: number;
  /** Milliseconds until an idle connection is closed, unless the service announces its own timeout. */
  readonly keepAliveMs: number;
  /** The hosts to which a download may be redirected. Undefined: none. */
  readonly redirectHosts?: readonly string[] | undefined;
  /** The number of sockets for downloads. Further downloads wait in an unbounded queue. */
  readonly downloads: number;
  /** The maximum number of calls that wait for a socket. */
  readonly queue: number;
  /** The maximum size of a response, in decoded bytes. */
  readonly maxBytes: number;
  /** A larger body of results may pass to the client while it arrives, in decoded bytes. */
  readonly holdBytes: number;
  /** The memory budget in bytes, for responses and what is built from them. */
  readonly memoryBytes: number;
  /** Whether failed calls may be retried. */
  readonly retry: boolean;
  readonly onRejected?: OnRejected;
}

/** A file of a static dataset that is being downloaded. Read its body to the end, or release it. */
export interface DownloadedFile {
  /** As received; undefined if the service sent none, or several. */
  readonly contentType: string | undefined;
  /** As received, one character for each byte; undefined if the service sent none, or several. */
  readonly contentDisposition: string | undefined;
  /** Bytes; undefined if it is unknown. */
  readonly contentLength: number | undefined;
  /** Fails if the connection breaks before the end, or if no data arrives for too long. */
  readonly body: Body;
}

/** What a client holds at the moment. Each quantity in use has its limit. */
export interface RestClientState {
  /** The calls that wait for a socket. */
  readonly queue: Usage;
  /** `usage` and `uses` in bytes, and the responses that wait for memory. */
  readonly memory: Pick<Memory, 'usage' | 'uses' | 'waiting'>;
  readonly pools: readonly {
    readonly pool: 'calls' | 'downloads';
    readonly free: number;
    readonly running: number;
    /** Calls that wait inside undici, for a connection that is being made. */
    readonly pending: number;
    readonly limit: number;
  }[];
  readonly circuits: readonly { readonly operation: GuardedOperation; readonly isOpen: boolean }[];
}

/**
 * The three operations of the REST service (REST specification, section 4). Metadata and results share a pool of
 * connections with a bounded queue (semaphore.ts), and each has a circuit breaker (breaker.ts). Downloads use connections of
 * their own: a file may take an hour, and other calls must not wait for it. The RestClient holds no data of a client: every
 * call gets its identity. A token never reaches another host: redirects are followed for downloads alone, if at all, without it.
 */
export class RestClient implements RestClientState {
  /** The memory of all operations together. */
  readonly memory: Memory;
  readonly #options: RestClientOptions;
  readonly #bodySizes: BodySizes;
  readonly #pool: ServicePool;
  readonly #downloads: ServicePool;
  /** Undefined if no redirect is followed. */
  readonly #redirects: Redirects | undefined;
  readonly #services: CallServices;
  readonly #semaphore: Semaphore;
  readonly #retries = new RetryBudget();
  readonly #kinds: Readonly<Record<'metadata' | 'results' | 'resultsFile' | 'download' | 'redirected', CallKind>>;
  /** One for each operation: metadata may work while results fail. */
  readonly #breakers: Readonly<Record<GuardedOperation, Breaker>>;
  /** The path prefix of {base_url}, without a trailing slash. */
  readonly #prefix: string;

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#prefix = options.baseUrl.pathname.replace(/\/+$/, '');
    const pool = {
      pipelining: 1,
      connectTimeout: Math.min(options.headersTimeoutMs, CONNECT_TIMEOUT_MS),
      keepAliveTimeout: options.keepAliveMs,
      ...WITHOUT_TIMEOUTS,
    };
    const { baseUrl, route = DIRECT } = options;
    const factory = (origin: URL, settings: object) => new ServiceConnection(origin, settings);
    this.#pool = new ServicePool(baseUrl.origin, { ...pool, factory, connections: options.connections }, route);
    this.#downloads = new ServicePool(baseUrl.origin, { ...pool, connections: options.downloads }, route);
    const { headersTimeoutMs, maxBytes, retry, queue, onRejected = () => {} } = options;
    const semaphore = new Semaphore(options.connections, queue);
    this.#semaphore = semaphore;
    this.#bodySizes = bodySizesFor(options.holdBytes);
    this.memory = new Memory(options.memoryBytes, () => semaphore.stalledBytes);
    this.#services = { memory: this.memory, headersTimeoutMs, bodySizes: this.#bodySizes, retry, queue, onRejected };
    this.#breakers = {
      getDatasetMetadata: new Breaker('getDatasetMetadata', options),
      getDatasetResults: new Breaker('getDatasetResults', options),
    };
    const kindOf = (operation: GuardedOperation, largest: Limit): CallKind => ({
      ...{ pool: this.#pool, maxBytes: largest, accepted: ACCEPTED },
      ...{ reservedBytes: 0, aheadBytes: MIN_AHEAD_BYTES },
      admission: { semaphore, breaker: this.#breakers[operation], retries: this.#retries },
    });
    const setting = { name: 'UPSTREAM_MAX_BYTES', value: maxBytes };
    const ofMetadata = { name: 'the limit for metadata', value: MAX_METADATA_BYTES };
    const results = kindOf('getDatasetResults', setting);
    const unlimited = { ...setting, value: Number.POSITIVE_INFINITY };
    const file = { ...results, pool: this.#downloads, admission: undefined, maxBytes: unlimited };
    const download = {
      ...{ ...file, accepted: ACCEPTED_OF_DOWNLOADS },
      ...{ reservedBytes: DOWNLOAD_BYTES, aheadBytes: DOWNLOAD_AHEAD_BYTES },
    };
    const { redirectHosts } = options;
    this.#redirects = redirectHosts && new Redirects(redirectHosts, pool.connectTimeout, route.proxies);
    this.#kinds = {
      metadata: kindOf('getDatasetMetadata', maxBytes <= MAX_METADATA_BYTES ? setting : ofMetadata),
      results,
      resultsFile: { ...file, reservedBytes: FILE_BODY_BYTES },
      download,
      redirected: { ...download, pool: this.#redirects ?? this.#downloads },
    };
  }

  /** Section 4.1. */
  getDatasetMetadata(datasetId: string, identity: OperationIdentity): RestCall {
    const path = `${this.#prefix}/v1/collection/dataset/summary/${pathSegment(datasetId)}`;
    const request = { operation: 'getDatasetMetadata', datasetId, filter: undefined, method: 'GET' } as const;
    return new Call({ ...request, path, body: null, identity }, this.#kinds.metadata, this.#services);
  }

  /** Section 4.3. The filter is sent unchanged. */
  getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    identity: OperationIdentity,
    mayDrop: Droppable,
  ): RestCall {
    const holdBytes = mayDrop && (mayDrop === 'what was sent' ? this.#options.holdBytes : this.#bodySizes.large);
    const request = this.#resultsRequest(datasetId, filter, identity);
    return new Call({ ...request, holdBytes }, this.#kinds.results, this.#services);
  }

  /** Whether a failed call may be retried. If so, this uses up one retry of the retry budget. */
  mayRetry(error: RestError): boolean {
    return error.canRetry && this.#retries.tryWithdraw();
  }

  /**
   * Section 4.2. Resolves when the first bytes of the file have arrived. Size and total time are unlimited, but the time
   * between two chunks is limited. `signal` aborts the download. No content coding is requested; if the service uses one,
   * it is decoded.
   *
   * @throws RestError if there is no file for the client
   */
  async downloadStaticDataset(
    datasetId: string,
    identity: ClientIdentity,
    signal: AbortSignal,
  ): Promise<DownloadedFile> {
    const operation = 'downloadStaticDataset';
    if (signal.aborted) throw new RestError(operation, 'cancelled');
    const memory = new OperationMemory(this.memory, new Operation(identityOf(identity.authorization)));
    const request = { operation, datasetId, filter: undefined, method: 'GET', body: null } as const;
    const path = this.#downloadPath(datasetId);
    const details = { ...request, identity: { ...identity, memory, resends: 0 }, holdBytes: this.#bodySizes.large };
    let call = new Call({ ...details, path }, this.#kinds.download, this.#services);
    signal.addEventListener('abort', () => call.abort('cancelled'), { once: true });
    let from = new URL(path, this.#options.baseUrl);
    let body: Body | undefined;
    for (let redirects = 0; body === undefined; redirects += 1) {
      try {
        body = await call.response;
      } catch (error) {
        const { status } = error as RestError;
        const target = this.#redirects?.targetOf(status, call.headers.location, from);
        if (target === undefined || redirects === MAX_REDIRECTS || signal.aborted) {
          throw redirects === 0 ? error : errorBehindRedirect(error as RestError);
        }
        from = target;
        const { origin, pathname, search } = target;
        call = new Call({ ...details, origin, path: `${pathname}${search}` }, this.#kinds.redirected, this.#services);
      }
    }
    await body.waitForBytes(1);
    const { 'content-type': type, 'content-disposition': disposition } = call.headers;
    return {
      contentType: single(type),
      contentDisposition: single(disposition),
      contentLength: call.contentLength,
      body,
    };
  }

  /**
   * Section 4.3, for a file: on the connections of downloads, and for any time. Nothing is retried, and no circuit breaker
   * guards it. A large body passes, and may have any length.
   */
  streamDatasetResults(datasetId: string, filter: ResultsFilter, identity: OperationIdentity): RestCall {
    const request = this.#resultsRequest(datasetId, filter, identity);
    return new Call({ ...request, holdBytes: this.#bodySizes.large }, this.#kinds.resultsFile, this.#services);
  }

  /** The URL of a dataset's file (section 4.2), with the token if `authorization` is given. */
  downloadUrl(datasetId: string, authorization?: BearerAuthorization): string {
    const url = `${this.#options.baseUrl.origin}${this.#downloadPath(datasetId)}`;
    return authorization === undefined ? url : `${url}?authToken=${encodeURIComponent(tokenOf(authorization))}`;
  }

  /** Whether others wait for what slow clients may hold: memory, or connections to the service. */
  get isContended(): boolean {
    return this.memory.isContended || this.#semaphore.isHeldUp(MAX_HELD_UP_MS);
  }

  get queue(): RestClientState['queue'] {
    return { used: this.#semaphore.waiting, limit: this.#options.queue };
  }

  get pools(): RestClientState['pools'] {
    const { connections, downloads } = this.#options;
    const poolOf = (pool: 'calls' | 'downloads', { stats }: ServicePool, limit: number) => {
      const { free, running, pending, queued } = stats;
      return { pool, free, running, pending: pending + queued, limit };
    };
    return [poolOf('calls', this.#pool, connections), poolOf('downloads', this.#downloads, downloads)];
  }

  get circuits(): RestClientState['circuits'] {
    return (['getDatasetMetadata', 'getDatasetResults'] as const).map((operation) => ({
      operation,
      isOpen: this.#breakers[operation].isOpen,
    }));
  }

  /** Waits for the running calls, then closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#downloads.close(), this.#redirects?.close()]);
  }

  #resultsRequest(datasetId: string, filter: ResultsFilter, identity: OperationIdentity) {
    const path = `${this.#prefix}/v1/processingresult/dataset/${pathSegment(datasetId)}`;
    return {
      operation: 'getDatasetResults',
      datasetId,
      filter,
      method: 'POST',
      path,
      body: filterBody(filter),
      identity,
    } as const;
  }

  #downloadPath(datasetId: string): string {
    return `${this.#prefix}/v1/collection/staticdataset/${pathSegment(datasetId)}/download`;
  }
}

/** The service has nothing to do with the status of another host. */
function errorBehindRedirect(error: RestError): RestError {
  const { operation, failure, status } = error;
  if (failure !== 'httpError') return error;
  const problem = `the host that it redirects to responded with status ${status}`;
  return new RestError(operation, 'invalidResponse', { status, problem });
}

/** undici returns a list if a header was sent several times, contrary to its type. */
function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
