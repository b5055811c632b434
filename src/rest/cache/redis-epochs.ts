import { randomBytes } from 'node:crypto';
import type { RedisConnection } from './redis-connection.ts';

const EPOCH_BYTES = 16;
/** The bytes of both epochs of a response. */
export const EPOCHS_BYTES = 2 * EPOCH_BYTES;

/** Whether a reply is an epoch. Any client of Redis may have written another value. */
export function isEpoch(reply: unknown): reply is Buffer {
  return Buffer.isBuffer(reply) && reply.length === EPOCH_BYTES;
}

/** The names of the two epochs of a response: that of its token, and that of its dataset for the token. */
export type EpochNames = readonly [token: string, dataset: string];

/** Both epochs of a response as one. Undefined if one of the replies is none. */
export function epochOf([token, dataset]: readonly unknown[]): Buffer | undefined {
  return isEpoch(token) && isEpoch(dataset) ? Buffer.concat([token, dataset]) : undefined;
}

/** How many epochs are remembered while Redis does not reply, and how many are dropped by one command after that. */
const MAX_DROPPING = 100_000;
const DROPPED_AT_ONCE = 1000;
const DROP_AGAIN_MS = 1000;

/** An epoch that is to be deleted. */
interface Drop {
  /** When nothing of it is left, in milliseconds of `performance.now()`. */
  readonly until: number;
}

/**
 * The epochs of tokens, and of the datasets of each. An epoch is a random value with a key of its own in Redis, and a response
 * counts only with the epochs in which its call began. So deleting an epoch drops all that was read with the token, or of the
 * dataset with it, by any replica. If Redis loses the epoch, what was read is lost with it.
 */
export class RedisEpochs {
  /** The longest time for which a response may be used. */
  readonly lifetimeMs: number;
  readonly #connection: RedisConnection;
  /** By the name of their keys. */
  readonly #dropping = new Map<string, Drop>();
  #again: NodeJS.Timeout | undefined;

  constructor(connection: RedisConnection, lifetimeMs: number) {
    this.#connection = connection;
    this.lifetimeMs = lifetimeMs;
  }

  /**
   * Begins epochs, unless another replica just has. Undefined if Redis does not reply with both in time. A call of the epochs
   * may be made after that: made before, it might be older than a drop by another replica that an epoch comes after.
   */
  async begin(names: EpochNames, timeoutMs: number): Promise<Buffer | undefined> {
    const options = { expiration: { type: 'PX', value: this.lifetimeMs }, condition: 'NX' } as const;
    const replies: readonly unknown[] | undefined = await this.#connection.run(
      'write',
      (redis) =>
        Promise.all([
          ...names.map((name) => redis.set(name, randomBytes(EPOCH_BYTES), options)),
          redis.mGet([...names]),
        ]),
      timeoutMs,
    );
    const epochs: unknown = replies?.at(-1);
    return Array.isArray(epochs) ? epochOf(epochs) : undefined;
  }

  /** Whether one of the epochs is to be deleted, and nobody knows whether Redis has done it. */
  isInvalidating(names: EpochNames): boolean {
    return names.some((name) => this.#dropping.has(name));
  }

  /** Ends an epoch, as soon as Redis replies. Until then this replica uses nothing of it. */
  invalidate(name: string): void {
    const [oldest] = this.#dropping.size < MAX_DROPPING ? [] : this.#dropping.keys();
    if (oldest !== undefined) this.#dropping.delete(oldest);
    const drop = { until: performance.now() + this.lifetimeMs };
    this.#dropping.set(name, drop);
    void this.#send([[name, drop]]);
  }

  close(): void {
    clearTimeout(this.#again);
    this.#dropping.clear();
  }

  async #send(drops: readonly (readonly [name: string, Drop])[]): Promise<void> {
    const deleted = await this.#connection.run('drop', (redis) => redis.del(drops.map(([name]) => name)));
    if (deleted === undefined) {
      this.#again ??= setTimeout(() => this.#sendAgain(), DROP_AGAIN_MS).unref();
      return;
    }
    // What is dropped once more meanwhile is sent once more.
    for (const [name, drop] of drops) if (this.#dropping.get(name) === drop) this.#dropping.delete(name);
  }

  #sendAgain(): void {
    this.#again = undefined;
    const now = performance.now();
    for (const [name, { until }] of this.#dropping) if (now >= until) this.#dropping.delete(name);
    const all = [...this.#dropping];
    for (let first = 0; first < all.length; first += DROPPED_AT_ONCE) {
      void this.#send(all.slice(first, first + DROPPED_AT_ONCE));
    }
  }
}
