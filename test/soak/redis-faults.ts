import { setTimeout } from 'node:timers/promises';
import { type Figures, keyOf } from './figures.ts';
import { pick, randomNumbers } from './random.ts';
import type { Redis } from './redis.ts';

/** A time in which Redis cannot be used as usual. */
interface RedisFault {
  readonly title: string;
  readonly weight: number;
  readonly milliseconds: number;
  begin(redis: Redis, milliseconds: number): Promise<void>;
  end?(redis: Redis): Promise<void>;
  /** A failure that the metrics must count meanwhile. */
  readonly failure?: Readonly<Record<'task' | 'reason', string>>;
}

const FAILURES = 'rest_cache_redis_failures_total';

const frozen = {
  begin: (redis: Redis) => redis.freeze(),
  end: (redis: Redis) => redis.thaw(),
  failure: { task: 'read', reason: 'timeout' },
};

const faults: readonly RedisFault[] = [
  {
    title: 'killed',
    weight: 2,
    milliseconds: 1500,
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
    failure: { task: 'read', reason: 'notSent' },
  },
  { title: 'frozen', weight: 2, milliseconds: 1500, ...frozen },
  // Without a word for five seconds, the connection is replaced.
  { title: 'frozen for long', weight: 1, milliseconds: 6500, ...frozen },
  {
    title: 'paused',
    weight: 2,
    milliseconds: 1500,
    begin: (redis, milliseconds) => redis.pause(milliseconds),
    failure: { task: 'read', reason: 'timeout' },
  },
  {
    title: 'full',
    weight: 2,
    milliseconds: 2000,
    begin: (redis) => redis.setFull(true),
    end: (redis) => redis.setFull(false),
    failure: { task: 'write', reason: 'error' },
  },
  { title: 'flushed', weight: 2, milliseconds: 0, begin: (redis) => redis.flush() },
];

/** The time between two faults. */
const HEALTHY_MS = 2000;

/** The subgraph that uses Redis. */
interface Subgraph {
  readonly metrics: () => Promise<Figures>;
  /** Reads datasets until a condition holds, for a limited time. Returns whether it does. */
  readonly readUntil: (holds: () => Promise<boolean>) => Promise<boolean>;
}

/** Injects faults into Redis. */
export class RedisFaults {
  /** How many there were of each kind. */
  readonly counts = new Map<string, number>();
  /** The most keys that one process of Redis has evicted. */
  evictions = 0;
  readonly #redis: Redis;
  readonly #subgraph: Subgraph;
  readonly #random = randomNumbers(3);

  constructor(redis: Redis, subgraph: Subgraph) {
    this.#redis = redis;
    this.#subgraph = subgraph;
  }

  /** Injects faults for this time. Returns a line for each that the metrics did not count. */
  async inject(milliseconds: number): Promise<string[]> {
    const until = performance.now() + milliseconds;
    const uncounted: string[] = [];
    for (;;) {
      await setTimeout(HEALTHY_MS);
      const left = until - performance.now();
      const possible = faults.filter((fault) => fault.milliseconds <= left);
      if (possible.length === 0) return uncounted;
      uncounted.push(...(await this.#injectOne(pick(possible, this.#random))));
    }
  }

  /** After the load: the subgraph must use Redis again, on one connection. Returns what is wrong. */
  async recover(): Promise<string[]> {
    const isUsed = await this.#isUsed();
    // One is that of the question.
    const connections = (await this.#redis.info('connected_clients')) - 1;
    this.evictions = Math.max(this.evictions, await this.#redis.info('evicted_keys'));
    return [
      ...(isUsed ? [] : ['Redis is not available after the load']),
      ...(connections === 1 ? [] : [`${connections} connections to Redis`]),
    ];
  }

  /** Whether the subgraph can use Redis, soon. Only a read finds that out. */
  #isUsed(): Promise<boolean> {
    const { metrics, readUntil } = this.#subgraph;
    return readUntil(async () => (await metrics()).sum('rest_cache_redis_available') === 1);
  }

  async #injectOne({ title, milliseconds, begin, end, failure }: RedisFault): Promise<string[]> {
    this.counts.set(title, (this.counts.get(title) ?? 0) + 1);
    const { metrics, readUntil } = this.#subgraph;
    // For a while after earlier failures, nothing is sent.
    if (!(await this.#isUsed())) return [`Redis was not available before it was ${title}`];
    const before = await metrics();
    await begin(this.#redis, milliseconds);
    const isCounted = async () => failure === undefined || (await metrics()).since(before).sum(FAILURES, failure) > 0;
    // All clients may wait for one call that hangs, so that nothing else is read.
    const [wasCounted] = await Promise.all([readUntil(isCounted), setTimeout(milliseconds)]);
    await end?.(this.#redis);
    return wasCounted ? [] : [`Redis was ${title}, and ${keyOf(FAILURES, failure ?? {})} did not increase`];
  }
}
