const [BEGIN, COMMA, END, NULL] = ['{"assets":[', ',', ']}', 'null'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** Where an entry is in the body. */
export interface EntryPlace {
  readonly assetId: string;
  readonly version: bigint | undefined;
  readonly start: number;
  readonly end: number;
  /** Where the list of its rows is. -1 if there is none. */
  readonly rowsStart: number;
  readonly rowsEnd: number;
}

/** A body that is kept, and where its entries are: a reader with `index` has noted them. */
export class Held {
  readonly #body: Buffer;
  readonly #count: number;
  readonly #byId: Map<string, EntryPlace[]>;

  constructor(body: Buffer, entries: readonly EntryPlace[]) {
    this.#body = body;
    this.#count = entries.length;
    this.#byId = Map.groupBy(entries, ({ assetId }) => assetId);
  }

  /** The ids of its assets. */
  get ids(): ReadonlySetLike<string> {
    return this.#byId;
  }

  /** The entries of an asset that have its highest version, as a body of their own, for a reader that reads them together. */
  find(assetId: string): Buffer[] {
    const found = this.#highest(assetId);
    return [
      BEGIN,
      ...found.flatMap(({ start, end }, index) => [...(index > 0 ? [COMMA] : []), this.#body.subarray(start, end)]),
      END,
    ];
  }

  /**
   * The first entry with the highest version of an asset that has several entries, without its rows. Undefined if it has one.
   */
  attributesOf(assetId: string): Buffer | undefined {
    // Usually each asset has one entry.
    if (this.#byId.size === this.#count) return undefined;
    const [first, ...others] = this.#byId.get(assetId) ?? [];
    if (first === undefined || others.length === 0) return undefined;
    const { start, end, rowsStart, rowsEnd } = this.#highest(assetId)[0] as EntryPlace;
    if (rowsStart < 0) return this.#body.subarray(start, end);
    return Buffer.concat([this.#body.subarray(start, rowsStart), NULL, this.#body.subarray(rowsEnd, end)]);
  }

  /** An absent version is the lowest. */
  #highest(assetId: string): readonly EntryPlace[] {
    const entries = this.#byId.get(assetId) ?? [];
    let highest: bigint | undefined;
    for (const { version } of entries)
      if (version !== undefined && (highest === undefined || version > highest)) highest = version;
    return entries.filter(({ version }) => version === highest);
  }
}
