import { setImmediate as nextTurn } from 'node:timers/promises';

/** The length of a time slice, in milliseconds. */
const TIME_SLICE_MS = 1;
/**
 * How many time slices of one turn of the event loop write responses, however many are written at the same time: a small
 * response needs several turns.
 */
const SLICES_PER_TURN = 4;
/** Reading the clock for each value is expensive, so it is read once for this many bytes. */
const CLOCK_CHECK_BYTES = 65_536;

/** Who waits for a time slice, the first one first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

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
    await nextTurn();
    this.restart();
  }

  /** The same for a response that is written: it waits for one of the few time slices of a turn. */
  async pauseWriting(): Promise<void> {
    await nextSlice();
    this.restart();
  }

  /** Starts a time slice of a response that is written, after a wait for something else: at once, unless others wait for one. */
  async goOnWriting(): Promise<void> {
    if (waiting.length > 0) await nextSlice();
    this.restart();
  }

  /** Starts a time slice, because other work ran. */
  restart(): void {
    this.#startedAt = performance.now();
  }
}

function nextSlice(): Promise<void> {
  return new Promise((start) => {
    waiting.push(start);
    if (!isScheduled) setImmediate(startSlices);
    isScheduled = true;
  });
}

function startSlices(): void {
  for (const start of waiting.splice(0, SLICES_PER_TURN)) start();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(startSlices);
}
