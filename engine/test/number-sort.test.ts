import { describe, expect, it } from 'vitest';
import { Memory } from '../memory.ts';
import { NumberSorter } from '../number-sort.ts';

describe('Numbers are sorted as by the runtime', () => {
  const spreads: Record<string, (part: number) => number> = {
    'evenly spread': (part) => part * 7 - 3,
    'with repeated ones': (part) => Math.round(part * 100),
    'all equal': () => 1.5,
    'in clusters': (part) => (part < 0.5 ? 1 + part * 1e-9 : 1e9 + part),
    'of all magnitudes': (part) => (part - 0.5) * 10 ** (part * 600 - 300),
    'beyond the range of doubles apart': (part) => (part - 0.5) * 2 * Number.MAX_VALUE,
    'as small as possible': (part) => Math.round(part * 10) * 5e-324,
  };

  it.each(Object.entries(spreads))('%s', (_, spread) => {
    const sorter = new NumberSorter(new Memory());
    for (const length of [0, 1, 2, 24, 25, 100, 1000, 4096, 5000]) {
      const values = Float64Array.from({ length }, (_, at) =>
        spread((Math.imul(at + length, 0x9e3779b1) >>> 0) / 2 ** 32),
      );
      const expected = values.toSorted();
      sorter.sort(values, 0, length);
      expect(values).toEqual(expected);
    }
  });
});
