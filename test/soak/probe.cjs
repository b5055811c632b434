// Loaded into the subgraph's process before the program (node -r, with --expose-gc). It replies to each message of the parent
// process with a sample, after a garbage collection. `src/` does not use it.
const fs = require('node:fs');
const timers = require('node:timers');

/** The timers, with ended ones until the next sweep. `process.getActiveResourcesInfo` omits unref'd timers. */
const known = new Set();
const SWEEP_AT = 20_000;

const isLive = (/** @type {{ _destroyed?: boolean }} */ timer) => timer._destroyed !== true;

function liveTimers() {
  for (const timer of known) if (!isLive(timer)) known.delete(timer);
  return known.size;
}

/**
 * Wraps a function to record the timers that it creates.
 *
 * @template {(...given: any[]) => any} Make
 * @param {Make} make
 * @returns {Make}
 */
function recording(make) {
  const wrapped = (/** @type {any[]} */ ...given) => {
    const timer = make(...given);
    known.add(timer);
    if (known.size > SWEEP_AT) liveTimers();
    return timer;
  };
  return /** @type {Make} */ (Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(make)));
}

globalThis.setTimeout = timers.setTimeout = recording(timers.setTimeout);
globalThis.setInterval = timers.setInterval = recording(timers.setInterval);

/** Open files, sockets and pipes; null if the system does not report them. */
function descriptors() {
  try {
    return fs.readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

function sample() {
  const resources = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate');
  const { heapUsed, heapTotal, rss, external } = process.memoryUsage();
  return {
    heapUsed,
    rss,
    external,
    native: rss - heapTotal - external,
    descriptors: descriptors(),
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    handles: resources.length,
    timers: liveTimers(),
  };
}

process.on('message', () => {
  globalThis.gc?.();
  // The second collection frees what finalizers released.
  setImmediate(() => {
    globalThis.gc?.();
    process.send?.(sample());
  });
});
process.channel?.unref();
