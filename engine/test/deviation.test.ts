import { expect, it } from 'vitest';
import { Deviation } from '../deviation.ts';

it('does not depend on which values come together', () => {
  const values = Float64Array.from({ length: 500 }, (_, index) => Math.sin(index) * 1e6 + 1e9);
  const ofBatches = (length: number) => {
    const deviation = new Deviation();
    for (let start = 0; start < values.length; start += length) {
      const end = Math.min(values.length, start + length);
      deviation.addRows(values, start, end, end - start);
    }
    return deviation.value;
  };
  expect([7, 32, 500].map(ofBatches)).toEqual(Array(3).fill(ofBatches(1)));
});
