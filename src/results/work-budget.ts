/**
 * The work that one operation may cause. The unit is a byte of results written into the response. Other work is charged as
 * the number of bytes that take as long (see the constants).
 */
export class WorkBudget {
  /** The value of the setting MAX_OPERATION_WORK, for error messages. */
  readonly limit: number;
  #spent = 0;
  /** The parts that were used before. Most operations do not need it. */
  #used: Set<object | string> | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether this many units are left. */
  allows(units: number): boolean {
    return this.#spent + units <= this.limit;
  }

  /** Charges work. Check `allows` first if the work can still be avoided. */
  spend(units: number): void {
    this.#spent += units;
  }

  /**
   * Marks a part of a response as used by this operation. Only repeated use is charged: the service decides how large a
   * part is, and the client how often it is selected.
   *
   * @param part an object or a key that identifies the part
   * @returns whether the part was used before
   */
  markUsed(part: object | string): boolean {
    this.#used ??= new Set();
    const wasUsed = this.#used.has(part);
    this.#used.add(part);
    return wasUsed;
  }
}

/** A row that is skipped because of `offset`. */
export const UNITS_PER_SKIPPED_ROW = 8;
/** A value of a row that is written once more, under another alias. Charged in addition to its bytes. */
export const UNITS_PER_REPEATED_VALUE = 8;
/** A byte of rows that is decoded into objects once more. */
export const UNITS_PER_DECODED_BYTE = 20;
/** A row serializer that is compiled, and each value that it writes. */
export const UNITS_PER_SERIALIZER = 2_000;
export const UNITS_PER_SERIALIZER_FIELD = 400;
/** A metric of a row template, when the distinct names are collected. */
export const UNITS_PER_NAME = 40;
/** A value of a column that is built from decoded rows. */
export const UNITS_PER_DECODED_VALUE = 40;
