import { describe, expect, it } from 'vitest';
import type { FieldType } from '../index.ts';
import { bodyOf, row } from './bodies.ts';
import { read } from './read.ts';

/** `valueRange`: the highest value of a row's first metric less the lowest one. */
const valueRange: FieldType = {
  make() {
    let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    return {
      begin() {
        [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      },
      add(rows) {
        const slot = rows.template.metrics?.[0]?.slot ?? -1;
        const values = slot < 0 ? [] : rows.values(slot).subarray(0, rows.count);
        for (const value of values) {
          if (value < lowest) lowest = value;
          if (value > highest) highest = value;
        }
      },
      write(out) {
        out.text(highest < lowest ? 'null' : String(highest - lowest));
        return false;
      },
    };
  },
};

describe('A field of the caller', () => {
  const asked = { key: 'range', field: 'valueRange', type: valueRange };
  const values = [1.5, -2, null, 4];
  const body = bodyOf(
    values.map((m) => row('2024-01-01', { m })),
    [],
  );

  it('is written like one of the engine', () => {
    expect(read({ entries: [asked, { key: 'count', field: 'rowCount' }] }, [body]).list).toBe(
      '[{"range":6,"count":4},{"range":null,"count":0}]',
    );
  });

  it('is the value of an entry alone, where values are written one after another', () => {
    expect(read({ entries: [asked], isPlain: true }, [body]).list).toBe('6null');
  });
});
