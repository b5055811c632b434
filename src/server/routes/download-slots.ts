import type { FastifyReply } from 'fastify';
import { RestError } from '../../rest/contract/rest-error.ts';
import { onResponseClosed } from '../connections/response-closed.ts';
import { sendUnavailable } from '../responses/json-errors.ts';
import { sendFailure } from './download-responses.ts';

export interface DownloadSlotsOptions {
  /** The maximum number of concurrent downloads. */
  readonly maxRunning: number;
  /** Is called for each request above it. */
  readonly onReject: () => void;
}

/** The downloads that run at the same time. */
export class DownloadSlots {
  readonly #options: DownloadSlotsOptions;
  #running = 0;

  constructor(options: DownloadSlotsOptions) {
    this.#options = options;
  }

  /** How many downloads are running. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs a download, unless too many are running. A RestError that it throws becomes the response.
   *
   * @param download gets a signal that is aborted when the response is over
   */
  async run(reply: FastifyReply, download: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const { maxRunning, onReject } = this.#options;
    if (this.#running >= maxRunning) {
      onReject();
      const message = `The subgraph is at its limit of ${maxRunning} concurrent downloads (MAX_DOWNLOADS).`;
      return sendUnavailable(reply, message, 'OVERLOADED');
    }
    this.#running += 1;
    const disconnected = new AbortController();
    onResponseClosed(reply.raw, () => {
      this.#running -= 1;
      disconnected.abort();
    });
    try {
      return await download(disconnected.signal);
    } catch (error) {
      if (error instanceof RestError) return sendFailure(reply, error);
      throw error;
    }
  }
}
