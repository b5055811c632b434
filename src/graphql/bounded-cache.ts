interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Whether it was read since it was added, or since it got its second chance. */
  wasUsed: boolean;
}

/** A cache with a limit in bytes. It evicts the oldest entries that were not read ("second chance"). */
export class BoundedCache<Value> {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The value of a key. Undefined if there is none. */
  get(key: string): Value | undefined {
    const found = this.#entries.get(key);
    if (found !== undefined) found.wasUsed = true;
    return found?.value;
  }

  /** Adds a value unless the key has one. @param bytes the estimated size of key and value */
  add(key: string, value: Value, bytes: number): void {
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { value, bytes, wasUsed: false });
    this.#bytes += bytes;
    this.#evict();
  }

  /** Evicts entries until the limit holds. An entry that was read gets a second chance. */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      if (entry.wasUsed) this.#entries.set(key, { ...entry, wasUsed: false });
      else this.#bytes -= entry.bytes;
    }
  }
}
