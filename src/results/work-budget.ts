/**
 * The work that one operation may cause. The unit is a byte of the response. Other work is charged as the number of bytes
 * that take as long (see the constants). All of it is charged before it is done. These produce the bytes of results, and
 * charge them:
 *
 *     the attributes of assets, cursors, and what stands around them     the resolvers of the page or the asset
 *     rows, columns and names of metrics, copied from the index          writing/work-estimate.ts
 *     the names of the metrics of all entries                            writing/aggregate-writer.ts
 *     what is computed from rows: the bytes that are read and written,   writing/aggregate-writer.ts
 *     and what the aggregate says that its value takes                   aggregates/
 *     the same of odd rows                                               writing/decoded-rows-writer.ts
 */
export class WorkBudget {
  /** The value of the setting MAX_OPERATION_WORK, for error messages. */
  readonly limit: number;
  #spent = 0;
  /** How often parts were used. Most operations do not need it. */
  #uses: Map<object | string, number> | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** What was charged so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Charges work before it is done. Returns false, and charges nothing, if it exceeds what is left. */
  reserve(units: number): boolean {
    if (this.#spent + units > this.limit) return false;
    this.#spent += units;
    return true;
  }

  /** Gives back what was reserved for a part and not needed. */
  refund(units: number): void {
    this.#spent -= units;
  }

  /**
   * Notes further uses of a part of a response by this operation. Some work is charged only for repeated use: the service
   * decides how large a part is, and the client how often it is selected.
   *
   * @param part an object or a key that identifies the part
   * @param times how many uses
   * @returns how often it was used before
   */
  use(part: object | string, times = 1): number {
    this.#uses ??= new Map();
    const before = this.#uses.get(part) ?? 0;
    this.#uses.set(part, before + times);
    return before;
  }
}

/** An entry of a page that is written again in another list, with its cursor. Charged in addition to its bytes. */
export const UNITS_PER_REPEATED_ENTRY = 600;
/** A row that is skipped because of `offset`. */
export const UNITS_PER_SKIPPED_ROW = 8;
/** A value of a row that is written once more, under another alias. Charged in addition to its bytes. */
export const UNITS_PER_REPEATED_VALUE = 8;
/** A byte of rows that is decoded into objects once more, after as many times as there are fields that need them. */
export const UNITS_PER_DECODED_BYTE = 20;
export const FREE_DECODINGS = 3;
/** A metric of a decoded row that is looked at for a list of chosen metrics. */
export const UNITS_PER_SEARCHED_METRIC = 2;
/** A row serializer that is compiled, and each value that it writes. */
export const UNITS_PER_SERIALIZER = 2_000;
export const UNITS_PER_SERIALIZER_FIELD = 400;
/**
 * A metric, when the distinct names are collected: less than the bytes of a metric, so that the names of a response never exceed
 * what all of it is allowed. Each of very many distinct names takes memory, too.
 */
export const UNITS_PER_NAME = 20;
export const USUAL_NAMES = 1000;
export const UNITS_PER_UNUSUAL_NAME = 250;
/** A metric that is computed from the rows of a series, and each row of it, also without a value. */
export const UNITS_PER_AGGREGATED_METRIC = 200;
export const UNITS_PER_AGGREGATED_VALUE = 8;
/** An entry of results that is read for what is computed of all. */
export const UNITS_PER_AGGREGATED_ENTRY = 10;
/** A metric of a reduced series. It takes memory, too, and a series can have very many. */
export const UNITS_PER_REDUCED_METRIC = 2_000;
/** A value of a column that is built from decoded rows. */
export const UNITS_PER_DECODED_VALUE = 40;
