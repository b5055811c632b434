import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, RESP_TYPES } from '@redis/client';
import { onTestFinished } from 'vitest';
import type { Simulator } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type Setup, TOKEN } from '../support/harness.ts';
import { readSample, samples, startMeasured } from '../support/metrics.ts';
import { type Program, startProgram } from '../support/process.ts';

/** The secret of the replicas. */
export const SECRET = 'a secret of the replicas, 32 long'.replaceAll(' ', '-');

/** A real Redis on a free port. It ends with the test. */
export class Redis {
  readonly port: string;
  readonly #folder: string;
  readonly #options: readonly string[];
  #program: Program;

  private constructor(port: string, folder: string, options: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    this.#program = this.#run();
  }

  /** @param options of `redis-server` */
  static async start(...options: string[]): Promise<Redis> {
    const folder = await mkdtemp(join(tmpdir(), 'redis-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const redis = new Redis(await freePort(), folder, options);
    await redis.#program.printed(/Ready to accept connections/);
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The settings of a replica that uses it. */
  get env(): Record<string, string> {
    return { CACHE: this.url, CACHE_SECRET: SECRET };
  }

  /** Sends one command on a connection of its own. Texts in the reply are buffers. */
  async send(...command: (string | Buffer)[]): Promise<unknown> {
    const client = await createClient({ url: this.url, commandOptions: { typeMapping: mapping } }).connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }

  /** Makes what waits until Redis has executed all that it was sent before. */
  async pings(): Promise<() => Promise<void>> {
    const client = await createClient({ url: this.url }).connect();
    onTestFinished(() => client.destroy());
    return async () => void (await client.ping());
  }

  /** The names of the keys: of responses, or of the epochs of tokens or of their datasets. */
  async keys(of: 'responses' | 'epochs' | 'datasets'): Promise<string[]> {
    const names = ((await this.send('KEYS', '*')) as Buffer[]).map(String);
    const parts = { epochs: 2, datasets: 3, responses: 4 }[of];
    return names.filter((name) => name.split(':').length === parts).toSorted();
  }

  /** Every command that it gets from now on, as it is on the wire. */
  async monitor(): Promise<readonly string[]> {
    const commands: string[] = [];
    const client = await createClient({ url: this.url }).connect();
    onTestFinished(() => client.destroy());
    await client.monitor((command) => void commands.push(String(command)));
    return commands;
  }

  /** What it writes to its disk. */
  async dump(): Promise<Buffer> {
    await this.send('SAVE');
    const [file = ''] = await readdir(this.#folder);
    return readFile(join(this.#folder, file));
  }

  /** Ends it without a word. */
  async kill(): Promise<void> {
    this.#program.kill('SIGKILL');
    await this.#program.ended;
  }

  /** Stops its process, so that it holds its connections and says nothing. */
  freeze(): void {
    this.#program.kill('SIGSTOP');
    onTestFinished(() => this.thaw());
  }

  thaw(): void {
    this.#program.kill('SIGCONT');
  }

  /** Starts it again after `kill`, with nothing in it. */
  async restart(): Promise<void> {
    this.#program = this.#run();
    await this.#program.printed(/Ready to accept connections/);
  }

  #run(): Program {
    const own = ['--port', this.port, '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    return startProgram('redis-server', [...own, ...this.#options]);
  }
}

const mapping = { [RESP_TYPES.BLOB_STRING]: Buffer };

/** A replica of the subgraph, and what can be seen of it. */
export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** Starts a replica. The answers of `query` are complete when Redis has what belongs to them. */
export async function startReplica(setup: Setup = {}, simulator?: Simulator) {
  const bed = await startMeasured({ ...setup, ...(simulator && { serviceUrl: simulator.url }) });
  const failures = async () =>
    Object.fromEntries(
      [...(await samples(bed))]
        .filter(([name, value]) => name.startsWith('rest_cache_redis_failures_total') && value > 0)
        .map(([name, value]) => [name.replace(/.*task="(\w+)",reason="(\w+)".*/, '$1 $2'), value]),
    );
  return {
    ...bed,
    /** What Redis did not do, by task and reason. */
    failures,
    isAvailable: async () => (await readSample(bed, 'rest_cache_redis_available')) === 1,
    /** Waits until Redis can be used, or not. */
    available: async (expected: boolean) =>
      await eventually(async () => {
        const value = await readSample(bed, 'rest_cache_redis_available');
        if ((value === 1) !== expected) throw new Error(`Redis is ${expected ? 'not ' : ''}available.`);
      }),
  };
}

/** Waits until Redis has so many responses. */
export async function stored(redis: Redis, count: number): Promise<void> {
  await eventually(async () => {
    const found = await redis.keys('responses');
    if (found.length !== count) throw new Error(`${found.length} responses are in Redis, not ${count}.`);
  });
}

/** The accounts of tokens. */
export const accountsOf = (...tokens: string[]) =>
  [TOKEN, ...tokens].map((token) => ({ email: token, password: 'secret', token }));

/** Two replicas with one Redis and one REST service. */
export async function startTwo(env: Record<string, string> = {}, ...tokens: string[]) {
  const redis = await Redis.start();
  const setup = { env: { ...redis.env, ...env }, accounts: accountsOf(...tokens) };
  const one = await startReplica(setup);
  const two = await startReplica(setup, one.simulator);
  return { redis, one, two, calls: one.calls };
}
