import type { EntryPlace } from './reader.ts';

const [BEGIN, COMMA, END] = ['{"assets":[', ',', ']}'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/** A body that is kept, and where its entries are: a reader with `index` has noted them. */
export class Held {
  readonly #body: Buffer;
  readonly #byId: Map<string, EntryPlace[]>;

  constructor(body: Buffer, entries: readonly EntryPlace[]) {
    this.#body = body;
    this.#byId = Map.groupBy(entries, ({ assetId }) => assetId);
  }

  /** The entries of an asset that have its highest version, as a body of their own, for a reader that reads them together. */
  find(assetId: string): Buffer[] {
    const entries = this.#byId.get(assetId) ?? [];
    let highest: bigint | undefined;
    for (const { version } of entries)
      if (version !== undefined && (highest === undefined || version > highest)) highest = version;
    const found = entries.filter(({ version }) => version === highest);
    return [
      BEGIN,
      ...found.flatMap(({ start, end }, index) => [...(index > 0 ? [COMMA] : []), this.#body.subarray(start, end)]),
      END,
    ];
  }
}
