import { setImmediate } from 'node:timers/promises';

/** The longest stretch of work, in milliseconds, before others get their turn. */
const TIME_SLICE_MS = 1;
/** How many bytes are gone over between two looks at the clock. */
const LOOK_BYTES = 65_536;

/** Breaks long work into stretches, so that no other request waits for the whole of it. */
export class EventLoopYielder {
  #unlooked = 0;
  #started = performance.now();

  /** Notes that so many bytes more were gone over; whether it is time to pause. */
  worked(bytes: number): boolean {
    this.#unlooked += bytes;
    if (this.#unlooked < LOOK_BYTES) return false;
    this.#unlooked = 0;
    return this.isDue();
  }

  /** Whether it is time to pause. */
  isDue(): boolean {
    return performance.now() - this.#started >= TIME_SLICE_MS;
  }

  /** Lets everything that waits in the event loop go first. */
  async pause(): Promise<void> {
    await setImmediate();
    this.restart();
  }

  /** Starts a time slice, because other work ran. */
  restart(): void {
    this.#started = performance.now();
  }
}
