import { describe, expect, it } from 'vitest';
import { SegmentedCache } from '../../src/graphql/documents/segmented-cache.ts';

/** A cache of 100 bytes, of which 10 are for entries that were used once. */
const makeCache = () => new SegmentedCache<string>(100);

function add(cache: SegmentedCache<string>, bytes: number, ...keys: readonly string[]): void {
  for (const key of keys) cache.add(key, `value of ${key}`, bytes);
}

const kept = (cache: SegmentedCache<string>, keys: readonly string[]) =>
  keys.filter((key) => cache.get(key) === `value of ${key}`);

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('The cache of documents', () => {
  it('never exceeds its limit', () => {
    const cache = makeCache();
    const keys = names('used', 30);
    for (const key of keys) {
      add(cache, 5, key);
      expect(kept(cache, [key])).toEqual([key]);
    }
    add(cache, 5, 'new0', 'new1', 'new2');
    // The oldest are gone.
    expect(kept(cache, ['new0', 'new1', 'new2'])).toEqual(['new1', 'new2']);
    expect(kept(cache, keys)).toEqual(keys.slice(-16));
  });

  it('evicts nothing that was used again for what is used once', () => {
    const cache = makeCache();
    add(cache, 5, 'stable');
    expect(kept(cache, ['stable'])).toEqual(['stable']);
    add(cache, 5, ...names('once', 1000));
    expect(kept(cache, ['stable', 'once0', 'once999'])).toEqual(['stable', 'once999']);
  });
});
