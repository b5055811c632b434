/** Pseudo-random numbers from 0 to 1, the same in every run (a linear congruential generator). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Picks a random entry by weight. */
export function pick<T extends { readonly weight: number }>(entries: readonly T[], random: () => number): T {
  let rest = random() * entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const entry of entries) {
    rest -= entry.weight;
    if (rest < 0) return entry;
  }
  return entries[entries.length - 1] as T;
}
