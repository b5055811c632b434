import { sortNumbers } from './number-sort.ts';

/** How many values are sorted at once, and how many are merged between two pauses. */
const RUN_LENGTH = 16_384;
/** How many items are compared between two pauses: texts can be long. */
const COMPARISONS_PER_TIME_SLICE = 1024;

/**
 * Sorts values, with pauses.
 *
 * @param scratch at least as long. It is overwritten
 */
export function* sortValues(values: Float64Array, scratch: Float64Array): Generator<void, void> {
  const { length } = values;
  for (let start = 0; start < length; start += RUN_LENGTH) {
    sortNumbers(values.subarray(start, start + RUN_LENGTH));
    if (length > RUN_LENGTH) yield;
  }
  let [from, into] = [values, scratch];
  for (let run = RUN_LENGTH; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(start + 2 * run, length);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at += 1) {
        const isLeft = left < middle && (right === end || (from[left] as number) <= (from[right] as number));
        into[at] = from[isLeft ? left++ : right++] as number;
        if (at % RUN_LENGTH === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  if (from !== values) values.set(from.subarray(0, length));
}

/**
 * The order of so many items, with pauses. Items that are equal keep their order.
 *
 * @param isInOrder whether the first of two items is lower than the second, or equal
 */
export function* sortedOrder(
  length: number,
  isInOrder: (one: number, other: number) => boolean,
): Generator<void, Int32Array> {
  let from = Int32Array.from({ length }, (_, index) => index);
  let into = new Int32Array(length);
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(start + 2 * run, length);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at += 1) {
        const isLeft = left < middle && (right === end || isInOrder(from[left] as number, from[right] as number));
        into[at] = from[isLeft ? left++ : right++] as number;
        if (at % COMPARISONS_PER_TIME_SLICE === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}
