import { Dice } from '../support/json-text.ts';

/** So many of the items, by lot: the same for the same seed, in the order of the lots. Whoever stops early has a fair part. */
export function byLot<T>(items: readonly T[], count: number, seed: number): T[] {
  return new Dice(seed).shuffled(items).slice(0, count);
}
