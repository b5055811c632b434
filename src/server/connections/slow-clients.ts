import type { Socket } from 'node:net';
import type { RunningRequest } from './connection.ts';

/** The interval of the checks. */
const CHECK_INTERVAL_MS = 250;

/** The minimum average rate of a client while data waits for it. */
const MIN_BYTES_PER_MS = 16;

/** While others wait for what slow clients hold: the minimum rate, and for how long a client may read nothing. */
const CONTENDED_BYTES_PER_MS = 1000;
const CONTENDED_MS = 2000;

/** The limit for clients that read their responses slowly. */
export interface StallLimit {
  /** Milliseconds for which a client may read nothing. */
  readonly maxPauseMs: number;
  /** Whether others wait for what slow clients hold: memory, connections to the service, or slots for downloads. */
  readonly isContended: () => boolean;
}

/**
 * Disconnects clients that do not read their responses. The total time of a response is unlimited as long as the client reads
 * enough. A client for which no data waits is never too slow. Bytes count as read when the kernel has accepted them, which on a
 * fast link may be a megabyte at once.
 */
export class SlowClients {
  readonly #stallLimit: StallLimit;
  #timer: NodeJS.Timeout | undefined;

  constructor(stallLimit: StallLimit) {
    this.#stallLimit = stallLimit;
  }

  /** Checks the connections of these requests until `stop`. */
  start(running: Iterable<RunningRequest>): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#check(running), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(running: Iterable<RunningRequest>): void {
    const now = performance.now();
    let isContended: boolean | undefined;
    for (const request of running) {
      const { connection } = request;
      const { socket, requests } = connection;
      if (request !== requests[0]) continue;
      if (socket.writableLength === 0) {
        connection.pace = undefined;
        continue;
      }
      const read = acceptedBytes(socket);
      connection.pace ??= new Pace(this.#stallLimit.maxPauseMs, now, read);
      isContended ??= this.#stallLimit.isContended();
      // A reset also frees the data that the kernel holds for the client.
      if (connection.pace.isTooSlow(now, read, isContended)) socket.resetAndDestroy();
    }
  }
}

/** How a socket of Node.js sees the one of the kernel; it looks there, too, before it says that nothing moves (`timeout`). */
interface WithHandle {
  readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

/** The bytes that the kernel has accepted. `bytesWritten` of the socket shows progress only in whole chunks, of half a megabyte. */
function acceptedBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as WithHandle;
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/** How far a client is behind the minimum rates, while data waits for it. */
export class Pace {
  readonly #always: Deficit;
  readonly #contended = new Deficit(CONTENDED_BYTES_PER_MS, CONTENDED_MS);
  #at: number;
  #read: number;

  /**
   * @param maxPauseMs for how long it may read nothing
   * @param now milliseconds, on any clock
   * @param read bytes so far
   */
  constructor(maxPauseMs: number, now: number, read: number) {
    this.#always = new Deficit(MIN_BYTES_PER_MS, maxPauseMs);
    this.#at = now;
    this.#read = read;
  }

  /** Whether it is too far behind. */
  isTooSlow(now: number, read: number, isContended: boolean): boolean {
    const [elapsed, bytes] = [now - this.#at, read - this.#read];
    this.#at = now;
    this.#read = read;
    const isSlow = this.#always.grows(elapsed, bytes);
    const isSlowForOthers = this.#contended.grows(elapsed, bytes);
    return isSlow || (isContended && isSlowForOthers);
  }
}

/** The bytes by which a client is behind a rate: never fewer than none, so it cannot save some for a long pause. */
class Deficit {
  readonly #bytesPerMs: number;
  readonly #max: number;
  #bytes = 0;

  /** @param maxMs how many milliseconds it may be behind */
  constructor(bytesPerMs: number, maxMs: number) {
    this.#bytesPerMs = bytesPerMs;
    this.#max = bytesPerMs * maxMs;
  }

  /** Some time has passed, in which the client has read so much. Returns whether it is too far behind. */
  grows(elapsedMs: number, read: number): boolean {
    this.#bytes = Math.min(this.#max, Math.max(0, this.#bytes + elapsedMs * this.#bytesPerMs - read));
    return this.#bytes === this.#max;
  }
}
