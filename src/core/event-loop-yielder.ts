/** The length of a time slice, in milliseconds. */
const TIME_SLICE_MS = 1;
/**
 * How many time slices one turn of the event loop has, however many responses are received, read and written at the same
 * time: a small response needs several turns, and so does a client that connects, because a turn accepts one connection.
 */
const SLICES_PER_TURN = 2;

/** Who waits for a time slice, the first one first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Breaks long work into time slices, so that other requests run between them. */
export class EventLoopYielder {
  #startedAt = performance.now();

  /** Whether the time slice is over. */
  isDue(): boolean {
    return performance.now() - this.#startedAt >= TIME_SLICE_MS;
  }

  /** Yields to the event loop, and waits for one of the few time slices of a turn. */
  async pause(): Promise<void> {
    await nextSlice();
    this.restart();
  }

  /** Starts a time slice after a wait for something else: at once, unless others wait for one. */
  async goOn(): Promise<void> {
    if (waiting.length > 0) await nextSlice();
    this.restart();
  }

  /** Starts a time slice, because other work ran. */
  restart(): void {
    this.#startedAt = performance.now();
  }
}

/** Resolves in a turn of the event loop in which there is time for more work. */
export function nextSlice(): Promise<void> {
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
