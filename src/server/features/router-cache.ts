import type { FastifyReply } from 'fastify';
import type { Config } from '../../config.ts';
import type { ResponseExtensions } from '../../graphql/response.ts';
import type { CallObserver, RestRequest, SavedRead } from '../../rest/transport/rest-call.ts';
import { varyBy } from '../responses/content-negotiation.ts';

/** How long routers may reuse responses. */
export interface RouterCacheOptions {
  /** Seconds for which a response with metadata may be reused; 0: not at all. */
  readonly metadataSeconds: number;
  /** The same for results. */
  readonly resultsSeconds: number;
}

/** Undefined if no response may be reused. */
export function routerCacheOf(config: Config): RouterCacheOptions | undefined {
  const metadataSeconds = config.ROUTER_CACHE_METADATA_SECONDS;
  const resultsSeconds = config.ROUTER_CACHE_RESULTS_SECONDS;
  if (metadataSeconds <= 0 && resultsSeconds <= 0) return undefined;
  return { metadataSeconds, resultsSeconds };
}

/**
 * Whether a router or a browser may reuse the response of one operation (RFC 9111, section 5.2.2): only for the same client,
 * and for as long as the shortest-lived data in it. It observes what the operation reads of the service.
 */
export class ResponseCaching implements CallObserver {
  readonly #options: RouterCacheOptions;
  /** The datasets that were read. */
  readonly #datasetIds = new Set<string>();
  /** The dataset of each representation, if entities were selected. Undefined for an invalid representation. */
  #entities: readonly (string | undefined)[] | undefined;
  #seconds = Number.POSITIVE_INFINITY;

  constructor(options: RouterCacheOptions) {
    this.#options = options;
  }

  callSent(request: RestRequest): undefined {
    this.#read(request, 0);
  }

  callSaved({ request, source, ageMs }: SavedRead): void {
    this.#read(request, source === 'stale' ? Number.POSITIVE_INFINITY : ageMs);
  }

  /** The response is for its request alone, such as one with a ticket or a token. */
  preventReuse(): void {
    this.#seconds = 0;
  }

  /** Entities are selected. @param datasetIds those of the representations of a field `_entities` */
  entitiesRead(datasetIds: readonly (string | undefined)[]): void {
    // The tags of a response have one list of entities.
    this.#entities = this.#entities === undefined ? datasetIds : [];
  }

  /** Allows the reuse of a response without errors. */
  allow(reply: FastifyReply): void {
    if (!this.mayReuse) return;
    reply.header('cache-control', `private, max-age=${this.#seconds}`);
    varyBy(reply, 'Accept', 'Authorization');
  }

  /**
   * The tags of a response without errors, by which a router can drop what it has of a dataset. They are as Apollo Router
   * reads them: those of each entity, or else of the whole response. Undefined if the response may not be reused.
   */
  get tags(): ResponseExtensions | undefined {
    if (!this.mayReuse) return undefined;
    if (this.#entities === undefined) return { apolloCacheTags: [...this.#datasetIds].map(tagOf) };
    return { apolloEntityCacheTags: this.#entities.map((id) => (id === undefined ? [] : [tagOf(id)])) };
  }

  /** Whether there is data of the service, all of which may be reused if there is no error. */
  get mayReuse(): boolean {
    return this.#seconds > 0 && this.#seconds < Number.POSITIVE_INFINITY;
  }

  #read({ operation, datasetId }: RestRequest, ageMs: number): void {
    const { metadataSeconds, resultsSeconds } = this.#options;
    const seconds = operation === 'getDatasetMetadata' ? metadataSeconds : resultsSeconds;
    this.#datasetIds.add(datasetId);
    this.#seconds = Math.max(0, Math.min(this.#seconds, seconds - Math.ceil(ageMs / 1000)));
  }
}

function tagOf(datasetId: string): string {
  return `dataset-${datasetId}`;
}
