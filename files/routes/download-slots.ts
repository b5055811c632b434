import type { FastifyReply } from 'fastify';
import { type BearerAuthorization, identityOf } from '../../src/core/bearer-token.ts';
import { RestError } from '../../src/rest/contract/rest-error.ts';
import { onResponseClosed } from '../../src/server/connections/connection.ts';
import { sendOverloaded } from '../../src/server/responses/json-errors.ts';
import { sendFailure } from './download-responses.ts';

/** The downloads of one token leave one in four slots free. */
const RESERVED_ONE_IN = 4;
/** For so many milliseconds after a download was refused, slots are needed: the client asks again. */
const NEED_MS = 1000;

/** The downloads that run at the same time. */
export class DownloadSlots {
  readonly #maxRunning: number;
  /** How many each token runs. */
  readonly #ofTokens = new Map<string, number>();
  #running = 0;
  /** When a download was refused last. */
  #refused = Number.NEGATIVE_INFINITY;

  /** @param maxRunning the maximum number of concurrent downloads */
  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** How many downloads are running. */
  get running(): number {
    return this.#running;
  }

  /** Whether others need the slots of slow clients. */
  get isContended(): boolean {
    return performance.now() - this.#refused < NEED_MS;
  }

  /**
   * Runs a download, unless too many are running: of all tokens, or of this one. A RestError that it throws becomes the response.
   *
   * @param download gets a signal that is aborted when the response is over
   */
  async run(
    reply: FastifyReply,
    authorization: BearerAuthorization,
    download: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    const maxRunning = this.#maxRunning;
    const identity = identityOf(authorization);
    const ofToken = this.#ofTokens.get(identity) ?? 0;
    const share = maxRunning - Math.floor(maxRunning / RESERVED_ONE_IN);
    const isFull = this.#running >= maxRunning;
    if (isFull || ofToken >= share) {
      this.#refused = performance.now();
      const limit = isFull ? `The subgraph is at its limit of ${maxRunning}` : `This token is at its limit of ${share}`;
      return sendOverloaded(reply, 'max_downloads', `${limit} concurrent downloads (MAX_DOWNLOADS).`);
    }
    this.#running += 1;
    this.#ofTokens.set(identity, ofToken + 1);
    const disconnected = new AbortController();
    onResponseClosed(reply.raw, () => {
      this.#running -= 1;
      this.#ended(identity);
      disconnected.abort();
    });
    try {
      return await download(disconnected.signal);
    } catch (error) {
      if (error instanceof RestError) return sendFailure(reply, error);
      throw error;
    }
  }

  #ended(identity: string): void {
    const left = (this.#ofTokens.get(identity) ?? 0) - 1;
    if (left > 0) this.#ofTokens.set(identity, left);
    else this.#ofTokens.delete(identity);
  }
}
