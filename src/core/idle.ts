import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The delay before the next attempt while operations run. */
const RETRY_MS = 1000;

type CollectGarbage = (options: { type: 'minor'; execution: 'async' }) => Promise<void>;

let running = 0;
let timer: NodeJS.Timeout | undefined;
let collectGarbage: CollectGarbage | undefined;

export function operationStarted(): void {
  running += 1;
}

export function operationEnded(): void {
  running -= 1;
}

/**
 * Collects garbage once, as soon as no operation runs. V8 collects only when the program allocates, so an idle process
 * would keep the memory of large responses. A minor collection takes a few milliseconds, and it makes V8 collect the rest
 * incrementally.
 */
export function collectWhenIdle(): void {
  if (timer !== undefined) return;
  const attempt = () => {
    timer = undefined;
    if (running > 0) {
      timer = setTimeout(attempt, RETRY_MS).unref();
      return;
    }
    collectGarbage ??= garbageCollector();
    collectGarbage({ type: 'minor', execution: 'async' }).catch(() => {});
  };
  attempt();
}

/** Gets `gc` without a command-line option. The flag applies to contexts that are created after it is set. */
function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
