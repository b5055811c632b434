/** What a reader may use. */
export interface Limits {
  /** The most bytes that are written and values that are computed, together. */
  readonly work: number;
  /** The most bytes of memory. Absent: unlimited. */
  readonly memory?: number;
  /** How many of these are reserved at first. Absent: all. */
  readonly reserved?: number;
  /**
   * The most bytes of a row, and of an attribute: longer ones are null. 1 MiB, which takes about 20 ms. What nobody needs may have any
   * length.
   */
  readonly part?: number;
}
