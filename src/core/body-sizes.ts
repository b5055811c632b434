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
  /** The memory of a body that passes, once what was held back has passed. */
  readonly passing: number;
  /** How much of a body that passes is read before the assets in it are dropped. */
  readonly batch: number;
  /** How much is read at least before it is dropped. */
  readonly drop: number;
  /** The window of the scanner. */
  readonly window: number;
}

/**
 * The sizes for a limit of what is held back of a body that passes. They are the same for each value of `RESULTS_HOLD_BYTES`. Tests
 * have lower limits, so that small bodies pass. Then the sizes are in proportion, so that such bodies pass in parts, too.
 */
export function bodySizesFor(holdBytes: number): BodySizes {
  return {
    large: Math.min(2 ** 20, holdBytes),
    rest: Math.min(2 ** 19, holdBytes >> 1),
    wake: Math.min(2 ** 18, holdBytes >> 2),
    passing: Math.min(2 ** 20, holdBytes),
    batch: Math.min(2 ** 17, holdBytes >> 3),
    drop: Math.min(2 ** 18, holdBytes >> 2),
    window: Math.min(2 ** 18, holdBytes >> 2),
  };
}

/** The sizes for every value of `RESULTS_HOLD_BYTES`. */
export const bodySizes: BodySizes = bodySizesFor(2 ** 20);
