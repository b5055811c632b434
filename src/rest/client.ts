import { Pool } from 'undici';
import { type BearerAuthorization, tokenOf } from '../core/bearer-token.ts';
import { type BodySizes, bodySizesFor } from '../core/body-sizes.ts';
import { pathSegment } from '../core/dataset-id.ts';
import type { Usage } from '../core/usage.ts';
import { Breaker } from './admission/breaker.ts';
import { Memory } from './admission/memory.ts';
import { RetryBudget } from './admission/retries.ts';
import { Semaphore } from './admission/semaphore.ts';
import { LABEL_SEARCH_BYTES } from './contract/labels.ts';
import type { RestError, RestOperation } from './contract/rest-error.ts';
import { filterBody, type ResultsFilter } from './contract/wire.ts';
import { Call, type CallRequest, type CallServices, type OnRejected } from './transport/call.ts';
import { type DownloadedFile, downloadFile } from './transport/downloaded-file.ts';
import type { ClientIdentity, OperationIdentity, RestCall } from './transport/rest-call.ts';
import { ServiceConnection } from './transport/service-connection.ts';

/** What of the body of results its reader may drop: what it has passed on, or what nobody needs. Undefined: nothing. */
export type Droppable = 'what was sent' | 'what is not needed' | undefined;

/** A call has its own, more exact timers. */
const WITHOUT_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Metadata are a few texts. One of so many bytes is decoded in some 20 ms. */
const MAX_METADATA_BYTES = 4 * 2 ** 20;

/** Connecting, including TLS, takes less time than a response, which needs the service's own work. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A call that waits longer for a connection needs one that a slow client holds. As a rule a call takes less. */
const MAX_HELD_UP_MS = 1000;

export interface RestClientOptions {
  /** {base_url}, with its path prefix. */
  readonly baseUrl: URL;
  /** Milliseconds until the headers of a response; for a file also between two chunks. */
  readonly headersTimeoutMs: number;
  /** The number of sockets, and so of concurrent calls, without downloads. */
  readonly connections: number;
  /** Milliseconds until an idle connection is closed, unless the service announces its own timeout. */
  readonly keepAliveMs: number;
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
  /** Milliseconds before an open circuit allows a trial call; 0: the circuit never opens. */
  readonly circuitOpenMs: number;
  readonly onRejected?: OnRejected;
  /** Is called when the circuit of a REST operation opens or closes. */
  readonly onCircuitChange: (operation: RestOperation, isOpen: boolean) => void;
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
  /** For whom each circuit is open. */
  readonly circuits: readonly { readonly operation: RestOperation; readonly open: Breaker['openFor'] }[];
}

/**
 * The three operations of the REST service (REST specification, section 4). Metadata and results share a pool of
 * connections with a bounded queue (semaphore.ts), and each has a circuit breaker (breaker.ts). Downloads use connections of
 * their own: a file may take an hour, and other calls must not wait for it. The RestClient holds no data of a client: every
 * call gets its identity. Redirects are not followed, so a token never reaches another host.
 */
export class RestClient implements RestClientState {
  /** The memory of all operations together. */
  readonly memory: Memory;
  readonly #options: RestClientOptions;
  readonly #bodySizes: BodySizes;
  readonly #pool: Pool;
  readonly #downloads: Pool;
  readonly #services: CallServices;
  /** Those of files of results. */
  readonly #fileServices: CallServices;
  /** One for each operation: metadata may work while results fail. */
  readonly #breakers: Readonly<Record<CallRequest['operation'], Breaker>>;
  /** Files have no circuit. */
  readonly #neverOpen = new Breaker({ openMs: 0, onChange: () => {} });
  /** The path prefix of {base_url}, without a trailing slash. */
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
      ...WITHOUT_TIMEOUTS,
    });
    this.#downloads = new Pool(options.baseUrl.origin, {
      ...pool,
      connections: options.downloads,
      headersTimeout: options.headersTimeoutMs,
      // Between two chunks; it is paused while the client does not read.
      bodyTimeout: options.headersTimeoutMs,
    });
    const { headersTimeoutMs, maxBytes, retry, queue, onRejected = () => {} } = options;
    const semaphore = new Semaphore(options.connections, queue);
    this.#bodySizes = bodySizesFor(options.holdBytes);
    const limits = {
      headersTimeoutMs,
      maxErrorBytes: LABEL_SEARCH_BYTES,
      isForFile: false,
      bodySizes: this.#bodySizes,
    };
    this.memory = new Memory(options.memoryBytes, () => semaphore.stalledBytes);
    this.#services = {
      pool: this.#pool,
      settings: {},
      semaphore,
      memory: this.memory,
      retries: new RetryBudget(),
      limits: {
        getDatasetMetadata: { ...limits, maxBytes: Math.min(maxBytes, MAX_METADATA_BYTES) },
        getDatasetResults: { ...limits, maxBytes },
      },
      retry,
      queue,
      onRejected,
    };
    const ofFile = { ...limits, maxBytes: Number.POSITIVE_INFINITY, isForFile: true };
    this.#fileServices = {
      ...this.#services,
      pool: this.#downloads,
      // A new connection: its call is not repeated, and the service may have closed an old one meanwhile.
      settings: { ...WITHOUT_TIMEOUTS, reset: true },
      // The limit of downloads is enough.
      semaphore: new Semaphore(Number.MAX_SAFE_INTEGER, 0),
      retries: new RetryBudget(),
      limits: { getDatasetMetadata: ofFile, getDatasetResults: ofFile },
    };
    const breakerOf = (operation: RestOperation) =>
      new Breaker({ openMs: options.circuitOpenMs, onChange: (isOpen) => options.onCircuitChange(operation, isOpen) });
    this.#breakers = {
      getDatasetMetadata: breakerOf('getDatasetMetadata'),
      getDatasetResults: breakerOf('getDatasetResults'),
    };
  }

  /** Section 4.1. */
  getDatasetMetadata(datasetId: string, identity: OperationIdentity): RestCall {
    const path = `${this.#prefix}/v1/collection/dataset/summary/${pathSegment(datasetId)}`;
    const request = { operation: 'getDatasetMetadata', datasetId, filter: undefined, method: 'GET' } as const;
    return this.#call({ ...request, path, body: null, identity });
  }

  /** Section 4.3. The filter is sent unchanged. */
  getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    identity: OperationIdentity,
    mayDrop: Droppable,
  ): RestCall {
    const holdBytes = mayDrop && (mayDrop === 'what was sent' ? this.#options.holdBytes : this.#bodySizes.large);
    return this.#call({ ...this.#resultsRequest(datasetId, filter, identity), holdBytes });
  }

  /** Whether a failed call may be retried. If so, this uses up one retry of the retry budget. */
  mayRetry(error: RestError): boolean {
    return error.canRetry && this.#services.retries.tryWithdraw();
  }

  /**
   * Section 4.2. Resolves when the first bytes of the file have arrived. Size and total time are unlimited, but the time
   * between two chunks is limited. `signal` aborts the download. No content coding is requested; if the service uses one,
   * it is decoded.
   *
   * @throws RestError if there is no file for the client
   */
  downloadStaticDataset(datasetId: string, identity: ClientIdentity, signal: AbortSignal): Promise<DownloadedFile> {
    const { onRejected } = this.#services;
    const { headersTimeoutMs } = this.#options;
    const path = this.#downloadPath(datasetId);
    return downloadFile(this.#downloads, { datasetId, path, identity, signal, headersTimeoutMs, onRejected });
  }

  /**
   * Section 4.3, for a file: on the connections of downloads, and for any time. Nothing is retried, and no circuit breaker
   * guards it. A large body passes, and may have any length.
   */
  streamDatasetResults(datasetId: string, filter: ResultsFilter, identity: OperationIdentity): RestCall {
    const request = this.#resultsRequest(datasetId, filter, identity);
    return new Call({ ...request, holdBytes: this.#bodySizes.large }, this.#neverOpen, this.#fileServices);
  }

  /** The URL of a dataset's file (section 4.2), with the token if `authorization` is given. */
  downloadUrl(datasetId: string, authorization?: BearerAuthorization): string {
    const url = `${this.#options.baseUrl.origin}${this.#downloadPath(datasetId)}`;
    return authorization === undefined ? url : `${url}?authToken=${encodeURIComponent(tokenOf(authorization))}`;
  }

  /** Whether others wait for what slow clients may hold: memory, or connections to the service. */
  get isContended(): boolean {
    return this.memory.isContended || this.#services.semaphore.isHeldUp(MAX_HELD_UP_MS);
  }

  get queue(): RestClientState['queue'] {
    return { used: this.#services.semaphore.waiting, limit: this.#options.queue };
  }

  get pools(): RestClientState['pools'] {
    const { connections, downloads } = this.#options;
    const poolOf = (pool: 'calls' | 'downloads', { stats }: Pool, limit: number) => {
      const { free, running, pending, queued } = stats;
      return { pool, free, running, pending: pending + queued, limit };
    };
    return [poolOf('calls', this.#pool, connections), poolOf('downloads', this.#downloads, downloads)];
  }

  get circuits(): RestClientState['circuits'] {
    return (['getDatasetMetadata', 'getDatasetResults'] as const).map((operation) => ({
      operation,
      open: this.#breakers[operation].openFor,
    }));
  }

  /** Waits for the running calls, then closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#downloads.close()]);
  }

  #call(request: CallRequest): RestCall {
    return new Call(request, this.#breakers[request.operation], this.#services);
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
