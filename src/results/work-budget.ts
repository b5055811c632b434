/**
 * The work that one operation may cause. The unit is a byte of the response. Other work is charged as the number of bytes that take as
 * long. The engine counts what it writes and computes; the resolvers charge what passes through GraphQL execution before it does.
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

  /** Charges work that was done. It may have gone beyond the limit. */
  charge(units: number): void {
    this.#spent += units;
  }

  /**
   * Notes further uses of a part of a response by this operation. Some work is charged only for repeated use: the service
   * decides how large a part is, and the client how often it is selected.
   *
   * @param part an object or a key that identifies the part
   * @returns how often it was used before
   */
  use(part: object | string): number {
    this.#uses ??= new Map();
    const before = this.#uses.get(part) ?? 0;
    this.#uses.set(part, before + 1);
    return before;
  }
}
