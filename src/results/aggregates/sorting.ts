import type { NumberSorter } from './number-sort.ts';

/** How many values are sorted at once. */
const RUN_LENGTH = 16_384;
/** How many items are compared between two pauses: texts can be long. */
const COMPARISONS_PER_TIME_SLICE = 1024;

/**
 * Sorts values, with pauses.
 *
 * @param scratch at least as long. It is overwritten
 * @param sorter for lists of this length
 */
export function* sortValues(values: Float64Array, scratch: Float64Array, sorter: NumberSorter): Generator<void, void> {
  const { length } = values;
  for (let start = 0; start < length; start += RUN_LENGTH) {
    sorter.sort(values.subarray(start, start + RUN_LENGTH));
    if (length > RUN_LENGTH) yield;
  }
  const sorted = yield* mergeRuns(values, scratch, length, RUN_LENGTH, (one, other) => one <= other);
  if (sorted !== values) values.set(sorted.subarray(0, length));
}

/**
 * The order of so many items, with pauses. Items that are equal keep their order.
 *
 * @param isInOrder whether the first of two items is lower than the second, or equal
 */
export function sortedOrder(
  length: number,
  isInOrder: (one: number, other: number) => boolean,
): Generator<void, Int32Array> {
  const order = Int32Array.from({ length }, (_, index) => index);
  return mergeRuns(order, new Int32Array(length), length, 1, isInOrder);
}

/** Merges sorted runs of this length, with pauses, until there is one. Returns the list that has it: one of the two. */
function* mergeRuns<List extends Float64Array | Int32Array>(
  items: List,
  scratch: List,
  length: number,
  runLength: number,
  isInOrder: (one: number, other: number) => boolean,
): Generator<void, List> {
  let [from, into]: [List, List] = [items, scratch];
  for (let run = runLength; run < length; run *= 2) {
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
