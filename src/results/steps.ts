import type { EventLoopYielder } from '../core/event-loop-yielder.ts';

/** Work in steps. It yields PAUSE where other work may run, or the number of bytes of memory that it needs next. */
export type Steps<T> = Generator<number, T>;
export const PAUSE = 0;

/** Reserves bytes of memory. Waits for the promise, if it returns one. */
export type Reserve = (bytes: number) => Promise<void> | undefined;

/** Runs work step by step, and yields to the event loop at each pause. */
export async function runSteps<T>(steps: Steps<T>, yielder: EventLoopYielder, reserve?: Reserve): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value === PAUSE) {
      await yielder.pause();
      continue;
    }
    try {
      await reserve?.(value);
    } catch (error) {
      // The work releases its memory, and ends with this error.
      steps.throw(error);
    }
  }
}
