/** What to run. */
export interface Run {
  /** The test files, in this order. */
  readonly tests: readonly string[];
  /** The text that takes the place of a file's; null for none. */
  readonly mutant: { readonly url: string; readonly text: string } | null;
  /** Where to write what the tests execute; null for nowhere. Without it, the first failure ends the run. */
  readonly coverageFolder: string | null;
  /** How long one test may take. Default: as the tests are configured. */
  readonly testMilliseconds?: number;
  /** How many processes run them. */
  readonly workers: number;
}

/** What came of it. */
export interface Outcome {
  /** The test files that failed. */
  readonly failed: readonly string[];
  /** What failed first, for those who ask. */
  readonly reason: string | undefined;
}

/** What the process says whenever a test file has ended. */
export const FILE_ENDED = 'a file ended';
