// Loaded into the subgraph's process before the program (node -r, with --expose-gc). Answers each message of whoever has
// started the process with what the process holds, after the garbage has been collected. Nothing of `src/` knows of it.
const fs = require('node:fs');
const timers = require('node:timers');

/** Timers of the process, those that are over until they are swept; `process.getActiveResourcesInfo` leaves out what is unref'd. */
const known = new Set();
const SWEEP_AT = 20_000;

const isLive = (/** @type {{ _destroyed?: boolean }} */ timer) => timer._destroyed !== true;

function liveTimers() {
  for (const timer of known) if (!isLive(timer)) known.delete(timer);
  return known.size;
}

/**
 * The same function, which notes the timers that it makes.
 *
 * @template {(...given: any[]) => any} Make
 * @param {Make} make
 * @returns {Make}
 */
function noting(make) {
  const noted = (/** @type {any[]} */ ...given) => {
    const timer = make(...given);
    known.add(timer);
    if (known.size > SWEEP_AT) liveTimers();
    return timer;
  };
  return /** @type {Make} */ (Object.defineProperties(noted, Object.getOwnPropertyDescriptors(make)));
}

globalThis.setTimeout = timers.setTimeout = noting(timers.setTimeout);
globalThis.setInterval = timers.setInterval = noting(timers.setInterval);

/** Open files, sockets and pipes; null where the system does not say. */
function descriptors() {
  try {
    return fs.readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

function sample() {
  const resources = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate');
  const { heapUsed, rss, external } = process.memoryUsage();
  return {
    heapUsed,
    rss,
    external,
    descriptors: descriptors(),
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    handles: resources.length,
    timers: liveTimers(),
  };
}

process.on('message', () => {
  globalThis.gc?.();
  // What finalizers let go of goes with the second collection.
  setImmediate(() => {
    globalThis.gc?.();
    process.send?.(sample());
  });
});
process.channel?.unref();
