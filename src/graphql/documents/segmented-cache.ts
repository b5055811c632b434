import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The part of the bytes for entries that were used once. */
const PROBATION = 1 / 10;
/** How many keys are remembered whose entries were evicted before a second use. */
const MAX_REMEMBERED = 10_000;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/**
 * A cache with a limit in bytes, in two segments: an entry comes into the small one, and with its second use into the large
 * one. So entries that are used once never evict those that are used again. An entry that was evicted too early for its
 * second use comes into the large segment when it is added again. An entry that is too large for its segment is not kept, and
 * evicts nothing. (The policy is that of 2Q: Johnson and Shasha, VLDB 1994.)
 */
export class SegmentedCache<Value> {
  readonly #used: LRUCache<string, Entry<Value>>;
  readonly #new: LRUCache<string, Entry<Value>>;
  /** Hashes of keys. With `max` it would allocate the memory for all of them at once. */
  readonly #evicted = new LRUCache<string, true>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });

  constructor(maxBytes: number) {
    const maxNew = Math.ceil(maxBytes * PROBATION);
    this.#used = new LRUCache({ maxSize: Math.ceil(maxBytes) - maxNew });
    this.#new = new LRUCache({
      maxSize: maxNew,
      dispose: (_entry, key, reason) => {
        if (reason === 'evict') this.#evicted.set(digestOf(key), true);
      },
    });
  }

  /** The value of a key. Undefined if there is none. */
  get(key: string): Value | undefined {
    const used = this.#used.get(key);
    if (used !== undefined) return used.value;
    const found = this.#new.get(key);
    if (found === undefined) return undefined;
    this.#new.delete(key);
    this.#used.set(key, found, { size: found.bytes });
    return found.value;
  }

  /** Adds a value unless the key has one. Returns that of the key. @param bytes the estimated size of key and value */
  add(key: string, value: Value, bytes: number): Value {
    const known = this.#used.peek(key) ?? this.#new.peek(key);
    if (known !== undefined) return known.value;
    const wasEvicted = this.#evicted.size > 0 && this.#evicted.delete(digestOf(key));
    (wasEvicted ? this.#used : this.#new).set(key, { value, bytes: Math.ceil(bytes) }, { size: Math.ceil(bytes) });
    return value;
  }

  /** Whether a key has come once, as far as is remembered. */
  isNew(key: string): boolean {
    return this.#new.has(key);
  }

  /** The value of a key takes so many bytes more. It may be too large now, and is not kept any more. */
  grow(key: string, bytes: number): void {
    const segment = this.#used.has(key) ? this.#used : this.#new;
    const entry = segment.peek(key);
    if (entry === undefined) return;
    const size = entry.bytes + Math.ceil(bytes);
    segment.set(key, { value: entry.value, bytes: size }, { size });
  }
}

function digestOf(key: string): string {
  return hash('sha1', key, 'base64');
}
