import { type PooledBuffer, SharedBuffer } from '../../core/buffer-pool.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import { MAX_DELAY_MS, type RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { type EpochNames, epochOf, isEpoch, type RedisEpochs } from './redis-epochs.ts';
import type { KeptResponse, Lifetime, StoredRead, Until } from './response-store.ts';
import { openResponse, sealResponse, unpack } from './sealed-response.ts';

/** The bytes that were exchanged with Redis, and those of bodies that are about to be written. */
export interface RedisTraffic {
  readBytes: number;
  writtenBytes: number;
  writingBytes: number;
}

export interface RedisReadOptions {
  readonly connection: RedisConnection;
  readonly epochs: RedisEpochs;
  /** The names of the keys in Redis: of the epochs, and of the response. */
  readonly epochNames: EpochNames;
  readonly name: string;
  /** The key of the encryption, 32 bytes. */
  readonly secret: Buffer;
  /** The maximum bytes of the value. */
  readonly maxBytes: number;
  readonly traffic: RedisTraffic;
  readonly onFailure: RedisConnectionOptions['onFailure'];
}

/** The maximum bytes of bodies that are about to be written. One body alone may be larger. */
const MAX_WRITING_BYTES = 67_108_864;

/** One response in Redis. */
export class RedisRead implements StoredRead {
  readonly #options: RedisReadOptions;
  /** The epochs when the read began. */
  #epoch: Buffer | undefined;
  #isDiscarded = false;

  constructor(options: RedisReadOptions) {
    this.#options = options;
  }

  get key(): string {
    return this.#options.name;
  }

  /** Nothing is there at once. */
  peek(): undefined {}

  async fetch(until: Until, memory: OperationMemory): Promise<KeptResponse | undefined> {
    const { connection, epochs, epochNames, name, secret, traffic, onFailure } = this.#options;
    // It got its time when the read began, and did not reply.
    if (until === 'stale' && this.#epoch === undefined) return undefined;
    const began = performance.now();
    const replies: unknown = await connection.run('read', (redis) => redis.mGet([...epochNames, name]));
    // Redis did not reply, or the token was dropped meanwhile.
    if (!Array.isArray(replies) || epochs.isInvalidating(epochNames)) return undefined;
    const sealed: unknown = replies.pop();
    const epoch = epochOf(replies);
    if (epoch === undefined) {
      // Any client of Redis may have written another value.
      const invalid = epochNames.filter((_, index) => replies[index] !== null && !isEpoch(replies[index]));
      for (const epochName of invalid) epochs.invalidate(epochName);
      // The reply may be later than that, because this process was busy.
      const leftMs = Math.max(1, MAX_DELAY_MS - (performance.now() - began));
      if (invalid.length === 0) this.#epoch ??= await epochs.begin(epochNames, leftMs);
      return undefined;
    }
    // That of the first time, which is before the call.
    this.#epoch ??= epoch;
    if (!Buffer.isBuffer(sealed)) return undefined;
    traffic.readBytes += sealed.length;
    const opened = openResponse({ secret, name, epoch }, sealed);
    if (opened === 'invalid') onFailure('read', opened);
    const now = Date.now();
    if (opened === undefined || opened === 'invalid' || now >= opened.times[until]) return undefined;
    const body = new SharedBuffer(await unpack(opened, memory));
    // The clock of the replica that wrote it may be ahead.
    return { body, ageMs: Math.max(0, now - opened.times.arrived) };
  }

  keep(body: SharedBuffer, lifetime: Lifetime): void {
    const { connection, traffic, onFailure } = this.#options;
    const share = body.share();
    const { length } = share.bytes;
    const isFull = traffic.writingBytes > 0 && traffic.writingBytes + length > MAX_WRITING_BYTES;
    if (isFull || !connection.takesWrites) {
      share.release();
      onFailure('write', 'notSent');
      return;
    }
    traffic.writingBytes += length;
    const written = this.#write(share, lifetime).catch(() => onFailure('write', 'notSent'));
    void written.finally(() => {
      traffic.writingBytes -= length;
      share.release();
    });
  }

  discard(): void {
    this.#isDiscarded = true;
    void this.#options.connection.run('drop', (redis) => redis.del(this.#options.name));
  }

  async #write(body: PooledBuffer, { freshMs, staleMs }: Lifetime): Promise<void> {
    const { connection, epochs, epochNames, name, secret, maxBytes, traffic } = this.#options;
    const arrived = Date.now();
    const times = { arrived, fresh: arrived + freshMs, stale: arrived + staleMs };
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    // The body is in use until it is sealed, however long that takes. Redis has its time after that.
    const sealed = await sealResponse({ secret, name, epoch }, times, body.bytes, maxBytes);
    if (sealed === undefined || this.#isDiscarded) return;
    const expiration = { type: 'PX', value: Math.ceil(staleMs) } as const;
    const replies = await connection.run('write', (redis) =>
      Promise.all([
        redis.set(name, sealed, { expiration }),
        ...epochNames.map((epochName) => redis.pExpire(epochName, epochs.lifetimeMs)),
      ]),
    );
    if (replies !== undefined) traffic.writtenBytes += sealed.length;
  }
}
