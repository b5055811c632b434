import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The delay before the next attempt while operations run. */
const RETRY_MS = 1000;

/** After how many milliseconds without much work V8 collects all garbage: its default, and so many that it never does. */
const REDUCER_DELAY_MS = 8000;
const NEVER_MS = 2 ** 31 - 1;
/** For how long V8 may do so after large responses, if operations follow: without any, there is nothing that it could slow down. */
const REDUCING_MS = 60_000;

type CollectGarbage = (options: { type: 'minor'; execution: 'async' }) => Promise<void>;

/*
 * Such a collection also discards the shapes of objects of which none is left, and with them the compiled code: after a pause of
 * eight seconds, small responses took twice the time for some seconds. So it comes only when there is much to collect.
 */
setReducerDelay(NEVER_MS);

let running = 0;
let timer: NodeJS.Timeout | undefined;
/** Until when V8 may collect all garbage, by the monotonic clock; undefined if it may not. */
let reducingUntil: number | undefined;
let collectGarbage: CollectGarbage | undefined;

export function operationStarted(): void {
  running += 1;
  if (reducingUntil !== undefined && performance.now() > reducingUntil) {
    reducingUntil = undefined;
    setReducerDelay(NEVER_MS);
  }
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
    setReducerDelay(REDUCER_DELAY_MS);
    reducingUntil = performance.now() + REDUCING_MS;
    collectGarbage ??= garbageCollector();
    collectGarbage({ type: 'minor', execution: 'async' }).catch(() => {});
  };
  attempt();
}

function setReducerDelay(milliseconds: number): void {
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${milliseconds}`);
}

/** Gets `gc` without a command-line option. The flag applies to contexts that are created after it is set. */
function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
