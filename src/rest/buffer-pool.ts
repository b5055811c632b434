import { collectWhenIdle } from './idle.ts';

/*
 * The pool of large buffers. A buffer has one owner at a time:
 * - `acquire` and `acquireAtLeast` lend it: it is in `lent`, and whoever took it alone reads and writes it;
 * - `release` takes it back into `kept`, where nobody reads or writes it; its former owner must have no view of it left
 *   that is still in use. A second `release` of the same one does nothing;
 * - `free`, and the pool when it keeps less, detach it: its memory is the system's again at once, and any view left is empty.
 * A lent buffer that is never given back (its operation was cut short and may still use it) is left to the garbage collector.
 */

/** What is kept at most, in bytes, and for how long after its last use. */
const MAX_KEPT = 160 * 2 ** 20;
const KEPT_MS = 10_000;
/** Sizes are rounded up to these, so that memory fits the next buffer too. */
const STEP = 2 ** 20;

/** What is in use, so that it can be given back once and no more. */
const lent = new WeakSet<ArrayBuffer>();
/** The largest first. */
const kept: ArrayBuffer[] = [];
let keptBytes = 0;

const forget = setTimeout(() => {
  keepAtMost(0);
  collectWhenIdle();
}, KEPT_MS).unref();

/**
 * A large buffer, out of memory that was given back if there is any that fits. Fresh memory is dear: the system hands it
 * out page by page as it is written to, and the garbage collector finds out late that it is free again.
 */
export function acquire(length: number): Buffer {
  const wanted = roundUp(length);
  const memory = take(
    kept.findLastIndex(({ byteLength }) => byteLength >= wanted && byteLength <= wanted * 2),
    wanted,
  );
  return Buffer.from(memory, 0, length);
}

/** Room for at least so many bytes, where it is not known how many there will be: the largest memory there is. */
export function acquireAtLeast(length: number): Buffer {
  const wanted = roundUp(length);
  const [largest] = kept;
  return Buffer.from(take(largest !== undefined && largest.byteLength >= wanted ? 0 : -1, wanted));
}

function roundUp(length: number): number {
  return Math.ceil(length / STEP) * STEP;
}

/** The kept memory with this index; fresh memory of so many bytes for -1. */
function take(index: number, wanted: number): ArrayBuffer {
  const [known] = index === -1 ? [] : kept.splice(index, 1);
  keptBytes -= known?.byteLength ?? 0;
  // Nothing that fits: too much of other sizes would only stand beside what is needed now.
  if (known === undefined && keptBytes + wanted > MAX_KEPT) keepAtMost(0);
  const memory = known ?? Buffer.allocUnsafeSlow(wanted).buffer;
  lent.add(memory);
  return memory;
}

/**
 * Gives the memory of a buffer back, which came from `acquire` and is in no use any more: the next owner writes into
 * the same memory. (To detach it from its old owner would be safer, but for a large buffer makes the garbage collector
 * go over the whole heap.)
 */
export function release({ buffer }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || !lent.delete(buffer)) return;
  // The largest serve best, and are dearest.
  kept.push(buffer);
  kept.sort((one, other) => other.byteLength - one.byteLength);
  keptBytes += buffer.byteLength;
  keepAtMost(MAX_KEPT);
  forget.refresh();
}

/**
 * Frees of what is kept the smallest, until it is no more than so many bytes. Only to drop it would leave that to the
 * garbage collector, which may not run for a long time.
 */
export function keepAtMost(bytes: number): void {
  while (keptBytes > bytes) {
    const smallest = kept.pop();
    if (smallest === undefined) return;
    keptBytes -= smallest.byteLength;
    smallest.transfer(0);
  }
}

/** Frees the memory of a buffer at once, which came from `acquire` or `acquireAtLeast` and was too small. */
export function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && lent.delete(buffer)) buffer.transfer(0);
}

/**
 * Frees the memory of a chunk at once, when nobody reads it any more. The garbage collector would do that only after
 * some sixty megabytes, by going over the whole heap. A chunk whose memory may hold other bytes too is left to it.
 */
export function discard({ buffer, byteOffset, length }: Buffer): void {
  const isLastOfItsMemory = byteOffset + length === buffer.byteLength;
  const isPooled = length < Buffer.poolSize >>> 1;
  if (isLastOfItsMemory && !isPooled && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
