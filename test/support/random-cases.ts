/**
 * The part of a landing's random cases that this run tries. `npm test` tries a tenth, with a new seed each time; `npm run test:random`
 * tries the rest, and `RANDOM_SHARE` says another part.
 */
const SHARE = Number(process.env.RANDOM_SHARE ?? 0.1);

/** How many cases a random test tries in this run, of those that `npm test` and `.ci/run` try together; at least one. */
export function randomCases(landing: number): number {
  return Math.max(1, Math.round(landing * SHARE));
}
