import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How long is waited where operations run. */
const AGAIN_MS = 1000;

type CollectGarbage = (options: { type: 'minor'; execution: 'async' }) => Promise<void>;

let running = 0;
let timer: NodeJS.Timeout | undefined;
let collectGarbage: CollectGarbage | undefined;

/** An operation begins. */
export function noteBegin(): void {
  running += 1;
}

/** An operation has ended, which has begun. */
export function noteEnd(): void {
  running -= 1;
}

/**
 * Has the garbage collector look at the heap once, when no operation runs. By itself it does so only when much is allocated,
 * and so not as long as nothing happens: what large answers have left would stay. A minor collection is enough, and takes a
 * few milliseconds: when little is left after it, V8 goes over the rest by itself, a little at a time.
 */
export function collectWhenIdle(): void {
  if (timer !== undefined) return;
  const look = () => {
    timer = undefined;
    if (running > 0) {
      timer = setTimeout(look, AGAIN_MS).unref();
      return;
    }
    collectGarbage ??= garbageCollector();
    collectGarbage({ type: 'minor', execution: 'async' }).catch(() => {});
  };
  look();
}

/** Private. The only way to it without an option of the command line; the flag holds for contexts made after it. */
function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
