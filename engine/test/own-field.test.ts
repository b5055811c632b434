import { describe, expect, it } from 'vitest';
import { bodyOf, row } from './bodies.ts';
import { read } from './read.ts';
import { valueRange } from './value-range.ts';

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
