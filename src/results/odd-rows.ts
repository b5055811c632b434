/** Why rows of an asset cannot be copied as they are. */
export const oddRowReasons = ['wrongType', 'lossyNumber', 'manyTemplates', 'longRow', 'severalEntries'] as const;

/** One of these reasons. */
export type OddRowReason = (typeof oddRowReasons)[number];

/** How many odd rows there were, by reason. */
export type OddRowCounts = Readonly<Partial<Record<OddRowReason, number>>>;

/** Counts odd rows: those of an asset that are decoded, for each field that needs them. */
export class OddRowCounter {
  readonly #total: OddRowCounter | undefined;
  #counts: Partial<Record<OddRowReason, number>> | undefined;

  /** @param total counts them too */
  constructor(total?: OddRowCounter) {
    this.#total = total;
  }

  add(reason: OddRowReason, rows: number): void {
    this.#counts ??= {};
    this.#counts[reason] = (this.#counts[reason] ?? 0) + rows;
    this.#total?.add(reason, rows);
  }

  /** The counts so far. */
  read(): OddRowCounts {
    return { ...this.#counts };
  }
}
