import { createClient, ErrorReply, RESP_TYPES } from '@redis/client';
import { errorCode } from '../../core/error-codes.ts';

/** What Redis is asked for. */
const redisTasks = ['read', 'write', 'drop'] as const;
export type RedisTask = (typeof redisTasks)[number];

/**
 * Why a task failed:
 * - `notSent`: there is no connection, or Redis failed a moment ago;
 * - `timeout`: no reply in time;
 * - `connection`: the connection broke;
 * - `error`: Redis replied with an error;
 * - `invalid`: a value is not what a replica has written.
 */
const redisFailures = ['notSent', 'timeout', 'connection', 'error', 'invalid'] as const;
export type RedisFailure = (typeof redisFailures)[number];

export interface RedisConnectionOptions {
  readonly url: URL;
  readonly onFailure: (task: RedisTask, failure: RedisFailure) => void;
  /** Is called when Redis can be used no longer, or again. @param code the code of the error, if it is known */
  readonly onChange: (isAvailable: boolean, code?: string) => void;
}

type Client = ReturnType<typeof makeClient>;

/** How long Redis may delay a read. */
export const MAX_DELAY_MS = 40;
/** How long a reply may take. As a rule, a write and a drop delay nobody. */
const TIMEOUT_MS: Readonly<Record<RedisTask, number>> = { read: MAX_DELAY_MS, write: 2000, drop: 2000 };
/** How long the start waits for the first connection. */
const MAX_CONNECT_MS = 1000;
const MAX_RECONNECT_DELAY_MS = 1000;
/** A connection without a word for so many milliseconds is replaced: the other side may be gone without a trace. */
const MAX_SILENCE_MS = 5000;
/** How often it is looked at, and so how often it is replaced at most. */
const CHECK_MS = 1000;
/** After so many failures in a row nothing is sent for some milliseconds. Then one attempt is made. */
const MAX_FAILURES = 3;
const PAUSE_MS = 1000;

const timedOut = new Error('Redis did not reply in time.');

/** A client of Redis, and what is known of its connection. */
interface Link {
  readonly client: Client;
  /** The commands without a reply. */
  pendingCommands: number;
  /** When something came from Redis, or the first of the pending commands was sent. */
  lastActivityAt: number;
}

/** The connection to Redis. Whatever happens to Redis, nobody waits for it longer than a moment, and nothing here throws. */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #pauses = { read: new Pause(), write: new Pause() };
  readonly #check: NodeJS.Timeout;
  #link: Link;
  #isAvailable = true;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#link = this.#connect();
    this.#check = setInterval(() => this.#replaceIfBroken(), CHECK_MS).unref();
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Waits for the first connection, or its failure, for a limited time. */
  async settled(): Promise<void> {
    const { client } = this.#link;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MAX_CONNECT_MS);
    client.once('ready', resolve).once('error', () => resolve());
    await promise;
    clearTimeout(timer);
  }

  /** Whether a body would be written now. If not, it need not be sealed. */
  get takesWrites(): boolean {
    return this.#link.client.isReady && !this.#pauses.write.isWaiting;
  }

  /**
   * Sends commands. Undefined if they fail: then nobody knows whether Redis executed them.
   *
   * @param timeoutMs how long the reply may take, if somebody waits for it
   */
  async run<T>(
    task: RedisTask,
    send: (client: Client) => Promise<T>,
    timeoutMs = TIMEOUT_MS[task],
  ): Promise<T | undefined> {
    const link = this.#link;
    const pause = task === 'drop' ? undefined : this.#pauses[task];
    if (!link.client.isReady || pause?.allowRequest() === false) return this.#fail(task, 'notSent');
    if (link.pendingCommands === 0) link.lastActivityAt = performance.now();
    link.pendingCommands += 1;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const sent = send(link.client);
    // What this process does before it sends and reads is not the time of Redis. The client sends by `setImmediate`.
    let timer: NodeJS.Timeout | undefined;
    const start = setImmediate(() => {
      timer = setTimeout(() => setImmediate(reject, timedOut), timeoutMs);
    });
    // A reply that is too late is ignored, but Redis is there.
    const onReply = () => {
      link.pendingCommands -= 1;
      link.lastActivityAt = performance.now();
    };
    sent.then(onReply, onReply);
    try {
      const reply = await Promise.race([sent, late]);
      pause?.succeeded();
      this.#setAvailable(!this.#pauses.read.isOn);
      return reply;
    } catch (error) {
      pause?.failed();
      if (this.#pauses.read.isOn) this.#setAvailable(false, codeOf(error));
      // This was the primary, and is no longer. The next check connects again.
      if (codeOf(error) === 'READONLY') link.client.destroy();
      if (error === timedOut) return this.#fail(task, 'timeout');
      return this.#fail(task, error instanceof ErrorReply ? 'error' : 'connection');
    } finally {
      clearImmediate(start);
      clearTimeout(timer);
    }
  }

  /** Ends the connection. It waits for no reply. */
  close(): void {
    clearInterval(this.#check);
    this.#link.client.destroy();
  }

  #connect(): Link {
    const client = makeClient(this.#options.url);
    const link: Link = { client, pendingCommands: 0, lastActivityAt: performance.now() };
    client.on('connect', () => {
      // Who destroys a client while it connects does not stop it.
      if (!client.isOpen) client.destroy();
    });
    client.on('ready', () => {
      for (const pause of Object.values(this.#pauses)) pause.succeeded();
      this.#setAvailable(true);
    });
    client.on('error', (error) => {
      this.#setAvailable(false, codeOf(error));
      // What arrived is not the protocol of Redis, so nobody knows which reply belongs to which command.
      if (client.isReady) client.destroy();
    });
    client.connect().catch(() => {});
    return link;
  }

  /** Connects again if the connection is silent, or was given up: at most once in each interval. */
  #replaceIfBroken(): void {
    const { client, pendingCommands, lastActivityAt } = this.#link;
    const isWaiting = pendingCommands > 0 || !client.isReady;
    const isSilent = isWaiting && performance.now() - lastActivityAt >= MAX_SILENCE_MS;
    if (client.isOpen && !isSilent) return;
    if (isSilent) this.#setAvailable(false, 'ETIMEDOUT');
    client.destroy();
    this.#link = this.#connect();
  }

  #setAvailable(isAvailable: boolean, code?: string): void {
    if (this.#isAvailable === isAvailable) return;
    this.#isAvailable = isAvailable;
    this.#options.onChange(isAvailable, code);
  }

  #fail(task: RedisTask, failure: RedisFailure): undefined {
    this.#options.onFailure(task, failure);
  }
}

/** Keeps from sending what fails again and again. */
class Pause {
  #failures = 0;
  #until = 0;

  get isOn(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** Whether something may be sent. During a pause that is one attempt from time to time. */
  allowRequest(): boolean {
    if (this.isWaiting) return false;
    if (this.isOn) this.#until = performance.now() + PAUSE_MS;
    return true;
  }

  /** Whether nothing is sent at the moment. */
  get isWaiting(): boolean {
    return this.isOn && performance.now() < this.#until;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    this.#until = performance.now() + PAUSE_MS;
  }
}

function makeClient(url: URL) {
  return createClient({
    url: url.href,
    socket: {
      connectTimeout: MAX_SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY_MS),
    },
    // What is not sent at once is not sent at all.
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The time of each command is limited here.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
}

/** The code of an error of Node.js, such as `ECONNREFUSED`, or of Redis, such as `OOM`. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof ErrorReply) return /^[A-Z]+\b/.exec(error.message)?.[0];
  return errorCode(error);
}
