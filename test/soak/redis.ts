import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { freePort } from '../support/free-port.ts';
import { type GuardedProgram, startGuarded } from '../support/process.ts';

/** So little memory that it evicts. */
const MAX_MEMORY = { maxmemory: '3mb', 'maxmemory-policy': 'allkeys-lru' };
/** No memory at all: each write is an error. */
const NO_MEMORY = { maxmemory: '1', 'maxmemory-policy': 'noeviction' };

/** A real Redis (Debian's package `redis-server`) without persistence. It ends with this process at the latest. */
export class Redis {
  /** The settings of a subgraph that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #port: string;
  #server: GuardedProgram;

  private constructor(port: string) {
    this.#port = port;
    this.settings = { CACHE: this.#url, CACHE_SECRET: randomBytes(32).toString('base64') };
    this.#server = this.#run();
  }

  static async start(): Promise<Redis> {
    const redis = new Redis(await freePort());
    await redis.#ready();
    return redis;
  }

  /** Kills its process. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL');
    await this.#server.ended;
  }

  /** Starts it again after `kill`, with nothing in it. */
  async restart(): Promise<void> {
    this.#server = this.#run();
    await this.#ready();
  }

  /** Stops its process, so that it keeps its connections and does not reply. */
  freeze(): Promise<void> {
    return this.#signal('SIGSTOP');
  }

  thaw(): Promise<void> {
    return this.#signal('SIGCONT');
  }

  /** Delays the commands of all clients. */
  async pause(milliseconds: number): Promise<void> {
    await this.#send('CLIENT', 'PAUSE', String(milliseconds), 'ALL');
  }

  /** Has no memory from now on, or has it again. */
  async setFull(full: boolean): Promise<void> {
    await this.#send('CONFIG', 'SET', ...Object.entries(full ? NO_MEMORY : MAX_MEMORY).flat());
  }

  async flush(): Promise<void> {
    await this.#send('FLUSHALL');
  }

  /** A figure of `INFO`. */
  async info(name: string): Promise<number> {
    const text = String(await this.#send('INFO'));
    return Number(new RegExp(`^${name}:(\\d+)\r$`, 'm').exec(text)?.[1]);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  get #url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  #run(): GuardedProgram {
    const options = { port: this.#port, bind: '127.0.0.1', save: '', ...MAX_MEMORY };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    return startGuarded('redis-server', args);
  }

  async #ready(): Promise<void> {
    await this.#server.printed(/Ready to accept connections/);
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    process.kill(await this.#server.pid, signal);
  }

  /** Sends a command on a connection of its own. */
  async #send(...command: string[]): Promise<unknown> {
    const client = await createClient({ url: this.#url }).connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }
}
