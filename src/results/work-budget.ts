/**
 * What one operation may cost in work that grows with the response. The unit is a byte of results written into the
 * response; other work is charged as the number of bytes that take as long (see the constants).
 */
export class WorkBudget {
  /** The setting behind it, for error messages. */
  readonly limit: number;
  #spent = 0;
  readonly #known = new WeakSet<object>();
  readonly #names = new Set<string>();

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
   * Whether an object of a response was used before in this operation. The first time is free: how large it is is the
   * service's doing, how often it is selected is the caller's.
   */
  isKnown(object: object): boolean {
    const known = this.#known.has(object);
    this.#known.add(object);
    return known;
  }

  /** The same for what has a name, and is made anew each time. */
  isKnownName(name: string): boolean {
    const known = this.#names.has(name);
    this.#names.add(name);
    return known;
  }
}

/** A row that is passed over, to reach `offset`. */
export const UNITS_PER_SKIPPED_ROW = 8;
/** A byte of rows that is decoded into objects, beyond the first time. */
export const UNITS_PER_DECODED_BYTE = 20;
/** A row template that is compiled for a selection, and each value in it. */
export const UNITS_PER_TEMPLATE = 2_000;
export const UNITS_PER_TEMPLATE_FIELD = 400;
/** A metric name of a row template, when the distinct names of rows are listed. */
export const UNITS_PER_NAME = 40;
/** A cell of a column that is made from decoded rows. */
export const UNITS_PER_DECODED_CELL = 40;
