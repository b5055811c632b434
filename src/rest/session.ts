import { type BearerAuthorization, identityOf } from '../core/bearer-token.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { Operation } from './admission/operation.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import type { CachedBody } from './cache/read-cache.ts';
import type { RestClient } from './client.ts';
import { RestError } from './contract/rest-error.ts';
import { CallBudget, Fetcher, type FetcherOptions } from './fetcher.ts';

/** The identity and the limits of one GraphQL operation. */
export interface RestSessionOptions extends Pick<FetcherOptions, 'client' | 'authorization' | 'observer'> {
  /** The maximum number of calls, including retries. */
  readonly maxCalls: number;
  /** Milliseconds for all calls together, from the start of the first. */
  readonly timeoutMs: number;
}

/** How operations read the service. */
export interface RestAccess {
  readonly client: RestClient;
  /** Begins what one operation, or one file, reads. */
  open(authorization: RestSessionOptions['authorization'], observer: RestSessionOptions['observer']): RestSession;
  /** Milliseconds for all calls of an operation together. */
  readonly timeoutMs: number;
}

/**
 * What one GraphQL operation reads of the service, with its client's token. A session ends with its request. What lives longer has a
 * digest of the token.
 */
export class RestSession extends Fetcher {
  /** The age in milliseconds of the oldest response that was used because the service failed. Undefined if none was. */
  staleMs: number | undefined;
  readonly #toRelease: { release(): void }[] = [];

  constructor({ client, authorization, observer, maxCalls, timeoutMs }: RestSessionOptions) {
    const operation = new Operation(authorization === undefined ? '' : identityOf(authorization));
    const memory = new OperationMemory(client.memory, operation);
    super({ client, authorization, observer, calls: new CallBudget(maxCalls), memory, timeoutMs });
  }

  /** A body that came through the cache, with what was made of it. Absent without a cache. */
  cachedBody?(body: PooledBuffer): CachedBody | undefined;

  /**
   * The URL of a dataset's file (section 4.2).
   *
   * @throws RestError `noToken` if the URL needs the token and the client sent no valid one
   */
  downloadUrl(datasetId: string, withToken: boolean): string {
    return this.options.client.downloadUrl(datasetId, withToken ? this.authorizationToDownload() : undefined);
  }

  /**
   * The client's token, for a later download.
   *
   * @throws RestError `noToken` if the client sent no valid one
   */
  authorizationToDownload(): BearerAuthorization {
    const { authorization } = this.options;
    if (authorization === undefined) throw new RestError('downloadStaticDataset', 'noToken');
    return authorization;
  }

  /** Registers a response to release when the operation ends. */
  releaseAtEnd(response: { release(): void }): void {
    this.#toRelease.push(response);
  }

  /** Releases the REST responses and their memory. Call it when nothing reads them any more. */
  release(): void {
    for (const response of this.#toRelease.splice(0)) response.release();
    this.memory.release();
  }
}
