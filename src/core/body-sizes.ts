/** The sizes in bytes by which a large body is received, read and dropped. */
export interface BodySizes {
  /** A body up to this size is joined from its chunks. A larger one gets a buffer of the pool, and is read while it arrives. */
  readonly large: number;
  /**
   * A body that may be dropped in parts gets so much more memory than it holds back: the last chunk need not fit exactly, and its
   * reader can go on to the end of an asset, behind which it drops the first ones.
   */
  readonly rest: number;
  /** A reader is woken for so many bytes at least: waking it for each chunk costs more than reading the chunk. */
  readonly wake: number;
}

/** The sizes for every value of `RESULTS_HOLD_BYTES`. */
export const bodySizes: BodySizes = {
  large: 2 ** 20,
  rest: 2 ** 19,
  wake: 2 ** 18,
};
const DEFAULT_HOLD_BYTES = 2 ** 22;
const MIN_HOLD_BYTES = 2 ** 20;

/**
 * The sizes for a limit of what is held back of a body that passes. Tests have lower limits than `RESULTS_HOLD_BYTES` may be, so that
 * small bodies pass. Then the sizes are in proportion, so that such bodies pass in as many parts.
 */
export function bodySizesFor(holdBytes: number): BodySizes {
  if (holdBytes >= MIN_HOLD_BYTES) return bodySizes;
  const share = holdBytes / DEFAULT_HOLD_BYTES;
  const sizes = Object.entries(bodySizes).map(([name, bytes]) => [name, Math.ceil(bytes * share)]);
  return Object.fromEntries(sizes);
}
