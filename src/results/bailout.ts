/** Why the generic path handles rows, or a selection on them. */
export const bailoutReasons = [
  'wrongType',
  'lossyNumber',
  'manyTemplates',
  'longRow',
  'severalEntries',
  'selection',
] as const;

/** One of these reasons. */
export type BailoutReason = (typeof bailoutReasons)[number];

/**
 * Says that the fast path cannot handle something exactly. The generic path then writes it. There is one object for each
 * reason: nobody reads its stack, and capturing one is slow.
 */
export class Bailout extends Error {
  readonly reason: BailoutReason;

  constructor(reason: BailoutReason) {
    super(reason);
    this.name = 'Bailout';
    this.reason = reason;
  }

  /** A field has another type than the specification says. It becomes an error with a path. */
  static readonly wrongType = new Bailout('wrongType');
  /** JSON.parse reads a number as infinite. It becomes an error with a path too. */
  static readonly lossyNumber = new Bailout('lossyNumber');
  /** The response has more row templates than are kept. */
  static readonly manyTemplates = new Bailout('manyTemplates');
  /** A row is too long to be read in one time slice. */
  static readonly longRow = new Bailout('longRow');
  /** Other assets have rows between the entries of an asset. */
  static readonly severalEntries = new Bailout('severalEntries');
  /** The selection needs more than this response. */
  static readonly selection = new Bailout('selection');
}

/** How often the fast path was taken, and how often it bailed out for each reason. */
export interface FastPathCounts {
  readonly hits: number;
  readonly bailouts: Readonly<Partial<Record<BailoutReason, number>>>;
}

/** Counts hits and bailouts of the fast path. */
export class FastPathCounter {
  readonly #total: FastPathCounter | undefined;
  #hits = 0;
  #bailouts: Partial<Record<BailoutReason, number>> | undefined;

  /** @param total counts everything too */
  constructor(total?: FastPathCounter) {
    this.#total = total;
  }

  hit(): void {
    this.#hits += 1;
    this.#total?.hit();
  }

  bailout(reason: BailoutReason): void {
    this.#bailouts ??= {};
    this.#bailouts[reason] = (this.#bailouts[reason] ?? 0) + 1;
    this.#total?.bailout(reason);
  }

  /** The counts so far. */
  read(): FastPathCounts {
    return { hits: this.#hits, bailouts: { ...this.#bailouts } };
  }
}
