import type { Socket } from 'node:net';
import { CHUNK_BYTES } from '../../core/buffer-pool.ts';

/** The interval of the checks. */
const CHECK_INTERVAL_MS = 250;

/** The minimum average rate of a client while data waits for it. */
const MIN_BYTES_PER_MS = 16;

/** While memory is contended: the minimum rate, and for how long a client may stay below it. */
const CONTENDED_BYTES_PER_MS = 1000;
const CONTENDED_WINDOW_MS = 2000;

/** The limit for clients that read their responses slowly. */
export interface StallLimit {
  /** Milliseconds for which a client may stay below the minimum rate. */
  readonly windowMs: number;
  /** Whether operations wait for the memory that slow clients hold. */
  readonly isContended: () => boolean;
}

/**
 * Disconnects clients that do not read their responses. The total time of a response is unlimited as long as the client reads
 * enough in each window of time. A client for which no data waits is never too slow. Bytes count as read when the kernel has
 * accepted them, which on a fast link may be a megabyte at once.
 */
export class SlowClients {
  readonly #stallLimit: StallLimit;
  readonly #paces = new WeakMap<Socket, Pace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(stallLimit: StallLimit) {
    this.#stallLimit = stallLimit;
  }

  /** Checks these connections until `stop`. */
  start(connections: () => Iterable<Socket>): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#check(connections()), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(connections: Iterable<Socket>): void {
    const now = performance.now();
    const isContended = this.#stallLimit.isContended();
    for (const socket of connections) {
      const waiting = socket.writableLength;
      if (waiting === 0) {
        this.#paces.delete(socket);
        continue;
      }
      const read = socket.bytesWritten - waiting;
      const pace = this.#paces.get(socket) ?? new Pace(this.#stallLimit.windowMs, now, read);
      this.#paces.set(socket, pace);
      // A reset also frees the data that the kernel holds for the client.
      if (pace.isTooSlow(now, read, isContended)) socket.resetAndDestroy();
    }
  }
}

/** The rate of a client: over a long window, and over a short one while memory is contended. */
export class Pace {
  readonly #long: Window;
  readonly #short: Window;

  /**
   * @param windowMs the length of the long window
   * @param now milliseconds, on any clock
   * @param read bytes so far
   */
  constructor(windowMs: number, now: number, read: number) {
    this.#long = new Window(windowMs, MIN_BYTES_PER_MS, now, read);
    this.#short = new Window(CONTENDED_WINDOW_MS, CONTENDED_BYTES_PER_MS, now, read);
  }

  /** Whether a window has ended with too few bytes. */
  isTooSlow(now: number, read: number, isContended: boolean): boolean {
    const isSlow = this.#long.hasReadTooLittle(now, read);
    const isSlowForOthers = this.#short.hasReadTooLittle(now, read);
    return isSlow || (isContended && isSlowForOthers);
  }
}

class Window {
  readonly #lengthMs: number;
  readonly #minBytes: number;
  #start: number;
  #read: number;

  constructor(lengthMs: number, bytesPerMs: number, now: number, read: number) {
    this.#lengthMs = lengthMs;
    // Progress is visible only in whole chunks, so a client may be behind by one chunk.
    this.#minBytes = Math.max(1, lengthMs * bytesPerMs - CHUNK_BYTES);
    this.#start = now;
    this.#read = read;
  }

  /** Whether the window has ended with too few bytes. The next window begins when one has ended. */
  hasReadTooLittle(now: number, read: number): boolean {
    if (now - this.#start < this.#lengthMs) return false;
    const isTooLittle = read - this.#read < this.#minBytes;
    this.#start = now;
    this.#read = read;
    return isTooLittle;
  }
}
