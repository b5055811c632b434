import type { Socket } from 'node:net';

/** How often the connections are looked at. */
const LOOK_MS = 250;

/** A client that takes less than this on average, while something waits for it, counts as not taking its response. */
const MIN_BYTES_PER_MS = 16;

/** While memory is contended: the rate that a client has to take, and for how long it may stay below. */
const CONTENDED_BYTES_PER_MS = 1000;
const CONTENDED_WINDOW_MS = 2000;

/** Progress shows only when a whole chunk is taken. So a client may be behind by one, whatever its rate is. */
const CHUNK_BYTES = 1 << 18;

/** How patient the subgraph is with clients that take their responses slowly. */
export interface StallLimit {
  /** Milliseconds for which a client may take nothing, or next to nothing. */
  readonly windowMs: number;
  /** Whether others wait for the memory that slow clients hold. */
  readonly isContended: () => boolean;
}

/**
 * Cuts off clients that do not take their responses. A response may take as long as it likes, as long as the client
 * takes enough of it in each window of time; a client for whom nothing waits is never too slow. What counts as taken is
 * what the kernel has taken, which on a fast link may be a megabyte at a time.
 */
export class SlowClients {
  readonly #stallLimit: StallLimit;
  readonly #paces = new WeakMap<Socket, Pace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(stallLimit: StallLimit) {
    this.#stallLimit = stallLimit;
  }

  /** Watches the connections that this gives, until `stop`. */
  start(connections: () => Iterable<Socket>): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(connections()), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(connections: Iterable<Socket>): void {
    const now = performance.now();
    const isContended = this.#stallLimit.isContended();
    for (const socket of connections) {
      const waiting = socket.writableLength;
      if (waiting === 0) {
        this.#paces.delete(socket);
        continue;
      }
      const taken = socket.bytesWritten - waiting;
      const pace = this.#paces.get(socket) ?? new Pace(this.#stallLimit.windowMs, now, taken);
      this.#paces.set(socket, pace);
      // A reset also frees what the kernel still holds for the client.
      if (pace.isTooSlow(now, taken, isContended)) socket.resetAndDestroy();
    }
  }
}

/** How fast a client takes what waits for it: over a long window, and over a short one while memory is contended. */
export class Pace {
  readonly #long: Window;
  readonly #short: Window;

  /**
   * @param windowMs the length of the long window
   * @param now milliseconds, on any clock
   * @param taken bytes so far
   */
  constructor(windowMs: number, now: number, taken: number) {
    this.#long = new Window(windowMs, MIN_BYTES_PER_MS, now, taken);
    this.#short = new Window(CONTENDED_WINDOW_MS, CONTENDED_BYTES_PER_MS, now, taken);
  }

  /** Whether a window has ended in which too little was taken. */
  isTooSlow(now: number, taken: number, isContended: boolean): boolean {
    const isSlow = this.#long.hasTakenTooLittle(now, taken);
    const isSlowForOthers = this.#short.hasTakenTooLittle(now, taken);
    return isSlow || (isContended && isSlowForOthers);
  }
}

class Window {
  readonly #lengthMs: number;
  readonly #minBytes: number;
  #start: number;
  #taken: number;

  constructor(lengthMs: number, bytesPerMs: number, now: number, taken: number) {
    this.#lengthMs = lengthMs;
    this.#minBytes = Math.max(1, lengthMs * bytesPerMs - CHUNK_BYTES);
    this.#start = now;
    this.#taken = taken;
  }

  /** Whether the window has ended with too little; when it has ended, the next one begins. */
  hasTakenTooLittle(now: number, taken: number): boolean {
    if (now - this.#start < this.#lengthMs) return false;
    const isTooLittle = taken - this.#taken < this.#minBytes;
    this.#start = now;
    this.#taken = taken;
    return isTooLittle;
  }
}
