/** A quantity that is in use, and its limit. */
export interface Usage {
  readonly used: number;
  readonly limit: number;
}
