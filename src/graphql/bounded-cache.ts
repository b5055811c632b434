interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Whether it was used again since it came, or was spared. */
  wasUsed: boolean;
}

/** Values by texts, up to a number of bytes. Of the oldest ones those go that were not used again. */
export class BoundedCache<Value> {
  readonly #maxBytes: number;
  /** In the order of their coming. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The value of a key, which is used by that; undefined where there is none. */
  get(key: string): Value | undefined {
    const found = this.#entries.get(key);
    if (found !== undefined) found.wasUsed = true;
    return found?.value;
  }

  /** Adds a value, where its key has none yet. @param bytes what both take, estimated */
  add(key: string, value: Value, bytes: number): void {
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { value, bytes, wasUsed: false });
    this.#bytes += bytes;
    this.#evict();
  }

  /** Makes room. One that was used since it came gets a second chance. */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      if (entry.wasUsed) this.#entries.set(key, { ...entry, wasUsed: false });
      else this.#bytes -= entry.bytes;
    }
  }
}
