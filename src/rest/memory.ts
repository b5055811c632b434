/** What is kept at most, in bytes, and for how long after its last use. */
const MOST_KEPT = 160 * 2 ** 20;
const KEPT_MS = 10_000;
/** Sizes are rounded up to these, so that memory fits the next buffer too. */
const STEP = 2 ** 20;

const kept: ArrayBuffer[] = [];
let keptBytes = 0;

const forget = setTimeout(forgetAll, KEPT_MS).unref();

function forgetAll(): void {
  kept.length = 0;
  keptBytes = 0;
}

/**
 * A large buffer, out of memory that was given back if there is any that fits. Fresh memory is dear: the system hands it
 * out page by page as it is written to, and the garbage collector finds out late that it is free again.
 */
export function takeBuffer(length: number): Buffer {
  const wanted = Math.ceil(length / STEP) * STEP;
  const index = kept.findIndex(({ byteLength }) => byteLength >= wanted && byteLength <= wanted * 2);
  const [memory] = index === -1 ? [] : kept.splice(index, 1);
  keptBytes -= memory?.byteLength ?? 0;
  // Nothing that fits: what is kept is of other sizes, and would only stand beside what is needed now.
  if (memory === undefined && wanted > STEP) forgetAll();
  return Buffer.from(memory ?? Buffer.allocUnsafeSlow(wanted).buffer, 0, length);
}

/**
 * Gives the memory of a buffer back, which came from `takeBuffer` and is in no use any more. The buffer and all its
 * slices are empty from then on: whoever should still hold one can never see what the next owner writes.
 */
export function giveBack({ buffer }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  const memory = buffer.transfer();
  if (keptBytes + memory.byteLength > MOST_KEPT) return;
  kept.push(memory);
  keptBytes += memory.byteLength;
  forget.refresh();
}
