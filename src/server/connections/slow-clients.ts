import type { Socket } from 'node:net';
import type { RunningRequest } from './connection.ts';
import { Pace } from './pace.ts';

/** The interval of the checks. */
const CHECK_INTERVAL_MS = 250;

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
