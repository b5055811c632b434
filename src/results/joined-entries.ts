import type { AssetEntries, AssetEntry, AttributeCopies } from './asset-entries.ts';
import { AttributeBytes } from './indexing/attribute-bytes.ts';

/** Entries of several responses, or some of those of one. */
export class JoinedEntries implements AssetEntries {
  readonly #entries: AssetEntry[] = [];
  readonly #attributeBytes = new AttributeBytes();

  constructor(entries: Iterable<AssetEntry> = []) {
    for (const entry of entries) this.push(entry);
  }

  push(entry: AssetEntry): void {
    this.#entries.push(entry);
    entry.addAttributeBytes(this.#attributeBytes.soFar);
    this.#attributeBytes.added(this.length);
  }

  get length(): number {
    return this.#entries.length;
  }

  at(index: number): AssetEntry | undefined {
    return this.#entries[index];
  }

  attributeBytesIn(start: number, end: number, copies: AttributeCopies): number {
    return this.#attributeBytes.between(start, end, copies, (index, sums) => this.at(index)?.addAttributeBytes(sums));
  }
}
