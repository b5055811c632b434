const BACKSLASH = 0x5c;

/** The most bytes of an id that are hashed. */
const MAX_HASHED_BYTES = 1 << 20;

/** Random for each process, so that nobody can prepare ids with the same hash. */
const SEED = (Math.random() * 2 ** 32) | 0;
/** For a second hash. The two of them are unequal for any two ids of a response, as good as certainly. */
export const SECOND_SEED: number = (Math.random() * 2 ** 32) | 0;

/** Whether the bytes of a JSON string have an escape. */
export function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_HASHED_BYTES) return bytes.subarray(start, end).includes(BACKSLASH);
  for (let at = start; at < end; at += 1) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** A hash of the bytes of an id, of which the first megabyte counts. @param seed for a second one */
export function hashOf(bytes: Buffer, start: number, end: number, seed = SEED): number {
  const hashedEnd = Math.min(end, start + MAX_HASHED_BYTES);
  let hash = seed;
  for (let at = start; at < hashedEnd; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
