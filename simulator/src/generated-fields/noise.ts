/**
 * 32 random bits that depend on the two integers only: the same in every process, and for each value by itself. A filter
 * therefore changes no value.
 */
export function randomBits(subject: number, index: number): number {
  let bits = Math.imul(subject + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca77);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** A random number from 0 to 1 (exclusive) that depends on the two integers only. */
export function randomNumber(subject: number, index: number): number {
  return randomBits(subject, index) / 2 ** 32;
}

/** A random number from -1 to 1 that depends on the two integers only. Small ones are more likely. */
export function randomDeviation(subject: number, index: number): number {
  const bits = randomBits(subject, index);
  return ((bits & 0xffff) + (bits >>> 16)) / 0xffff - 1;
}
