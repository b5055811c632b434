/**
 * What one operation may cost in work that grows with the response. The unit is a byte of results written into the
 * response; other work is charged as the number of bytes that take as long (see the constants).
 */
export class WorkBudget {
  /** The setting behind it, for error messages. */
  readonly limit: number;
  #spent = 0;
  /** What was used before; made when it is first needed, which it is for few operations. */
  #known: Set<object | string> | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether so many units are left. */
  allows(units: number): boolean {
    return this.#spent + units <= this.limit;
  }

  /** Charges work that was allowed, or that was found to be cheaper or dearer than expected. */
  spend(units: number): void {
    this.#spent += units;
  }

  /**
   * Whether a part of a response was used before in this operation. The first time is free: how large it is is the
   * service's doing, how often it is selected is the caller's.
   *
   * @param part the same for the same part
   */
  isKnown(part: object | string): boolean {
    this.#known ??= new Set();
    const isKnown = this.#known.has(part);
    this.#known.add(part);
    return isKnown;
  }
}

/** A row that is passed over, to reach `offset`. */
export const UNITS_PER_SKIPPED_ROW = 8;
/** A value of a row that is written again, under another alias; besides its bytes. */
export const UNITS_PER_REPEATED_VALUE = 8;
/** A byte of rows that is decoded into objects, beyond the first time. */
export const UNITS_PER_DECODED_BYTE = 20;
/** A row template that is compiled for a selection, and each value in it. */
export const UNITS_PER_SERIALIZER = 2_000;
export const UNITS_PER_SERIALIZER_FIELD = 400;
/** A metric name of a row template, when the distinct names of rows are listed. */
export const UNITS_PER_NAME = 40;
/** A cell of a column that is made from decoded rows. */
export const UNITS_PER_DECODED_VALUE = 40;
