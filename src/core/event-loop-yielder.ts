import { setImmediate } from 'node:timers/promises';

/** The length of a time slice, in milliseconds. */
const TIME_SLICE_MS = 1;
/** Reading the clock for each value is expensive, so it is read once for this many bytes. */
const CLOCK_CHECK_BYTES = 65_536;

/** Breaks long work into time slices, so that other requests run between them. */
export class EventLoopYielder {
  #uncheckedBytes = 0;
  #startedAt = performance.now();

  /** Counts bytes that were processed. Returns whether the time slice is over. */
  worked(bytes: number): boolean {
    this.#uncheckedBytes += bytes;
    if (this.#uncheckedBytes < CLOCK_CHECK_BYTES) return false;
    this.#uncheckedBytes = 0;
    return this.isDue();
  }

  /** Whether the time slice is over. */
  isDue(): boolean {
    return performance.now() - this.#startedAt >= TIME_SLICE_MS;
  }

  /** Yields to the event loop, then starts the next time slice. */
  async pause(): Promise<void> {
    await setImmediate();
    this.restart();
  }

  /** Starts a time slice, because other work ran. */
  restart(): void {
    this.#startedAt = performance.now();
  }
}
