/**
 * Work in steps. It yields PAUSE where other work may run, MORE where it needs more bytes of a body, or the number of bytes
 * of memory that it needs next.
 */
export type Steps<T> = Generator<number, T>;
export const PAUSE = 0;
export const MORE = -1;
/** Where it passes on what it has read: what is kept of it may be dropped before it goes on. */
export const BATCH = -2;

/** Reserves bytes of memory. Waits for the promise, if it returns one. */
export type Reserve = (bytes: number) => Promise<void> | undefined;

/** What the steps of some work wait for. */
export interface StepSupplies {
  readonly reserve: Reserve;
  /** Resolves when more bytes of the body have arrived. */
  readonly more: () => Promise<void>;
  /** Is called after each wait. */
  readonly refresh: () => void;
}

/** Lets other work of the process run between steps. */
export interface Yielder {
  /** Counts bytes that were processed. Returns whether it is time to pause. */
  worked(bytes: number): boolean;
  /** Yields to the event loop. */
  pause(): Promise<void>;
  /** To be called after a wait for something else. */
  goOn(): Promise<void>;
}

/** Runs work step by step, and yields to the event loop at each pause. */
export async function runSteps<T>(steps: Steps<T>, yielder: Yielder, supplies?: StepSupplies): Promise<T> {
  return (await runUntil(() => false, steps, yielder, supplies)) as T;
}

/** Does the same until it needs more bytes, and `isEnough` returns true. Then it resolves to undefined. */
export async function runUntil<T>(
  isEnough: () => boolean,
  steps: Steps<T>,
  yielder: Yielder,
  supplies?: StepSupplies,
): Promise<T | undefined> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value === MORE && isEnough()) return undefined;
    try {
      await supply(value, yielder, supplies);
    } catch (error) {
      // The work releases its memory, and ends with this error.
      steps.throw(error);
    }
  }
}

/** Waits for what a step needs, before the work goes on. */
async function supply(step: number, yielder: Yielder, supplies?: StepSupplies): Promise<void> {
  if (step === PAUSE) await yielder.pause();
  else if (step === MORE) {
    await supplies?.more();
    await yielder.goOn();
  } else await supplies?.reserve(step);
  supplies?.refresh();
}
