/** Numbers from 0 to 1 that look random and are the same in every run (a linear congruential generator). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One of the entries, each as often as its weight says. */
export function pick<T extends { readonly weight: number }>(entries: readonly T[], random: () => number): T {
  let left = random() * entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const entry of entries) {
    left -= entry.weight;
    if (left < 0) return entry;
  }
  return entries[entries.length - 1] as T;
}
