/** So many of the items, by lot: the same for the same seed, in the order of the lots. Whoever stops early has a fair part. */
export function byLot<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = randomOf(seed);
  return items
    .map((item) => ({ item, lot: random() }))
    .toSorted((one, other) => one.lot - other.lot)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
