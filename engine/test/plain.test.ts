import { describe, expect, it } from 'vitest';
import { FieldError, type FieldType } from '../index.ts';
import { bodyOf, row } from './bodies.ts';
import { inPieces, read } from './read.ts';
import { valueRange } from './value-range.ts';

/** Writes the dates of rows, each as a line: at once, three in one step. */
const dates: FieldType = {
  make: ({ out }) => {
    let row = 0;
    let rowsOfEntry = 0;
    return {
      begin: () => {
        rowsOfEntry = 0;
      },
      add: (rows) => {
        if (rows.errors.length > 0) throw new FieldError('wrongDate', rows.first);
        row = 0;
      },
      addMore: (rows) => {
        for (let left = 3; row < rows.count && left > 0; row += 1, left -= 1, rowsOfEntry += 1)
          out?.text(`${rows.first + row} ${rows.dateText(row)}\n`);
        return row < rows.count;
      },
      write: (into, rowCount) => {
        into.text(`${rowsOfEntry} of ${rowCount}\n`);
        return false;
      },
    };
  },
};

const asked = { entries: [{ key: 'dates', field: 'dates', type: dates }], isPlain: true };
const asset = (id: string, days: number, others = '') =>
  `{"asset_id":"${id}",${others}"results":[${Array.from({ length: days }, (_, day) => `{"value_date":"${id}${day}"}`)}]}`;
const body = (...assets: string[]) => Buffer.from(`{"assets":[${assets}]}`);

describe('Plain values', () => {
  it.each([[1], [7], [1000]])('are written while their rows come, in steps, in pieces of %i bytes', (length) => {
    const all = body(asset('a', 100), '{"asset_id":"b"}', asset('c', 0), asset('d', 2));
    const { list, errors } = read(asked, inPieces(all, [length]));
    const lines = Array.from({ length: 100 }, (_, day) => `${day} a${day}\n`).join('');
    expect([list, errors]).toEqual([`${lines}100 of 100\n0 of 0\n0 d0\n1 d1\n2 of 2\n`, []]);
  });

  it('have a field for each asset, without anything between them', () => {
    const name = { key: 'name', field: 'constant', args: { json: 'x' } };
    const { list } = read({ ...asked, entries: [name, ...asked.entries] }, [body(asset('a', 1), asset('b', 0))]);
    expect(list).toBe('0 a0\nx1 of 1\nx0 of 0\n');
  });

  it('stay as far as they were written when one fails', () => {
    const bad = '{"asset_id":"b","results":[{"value_date":"b0"},{"value_date":5},{"value_date":"b2"}]}';
    const { list, errors } = read(asked, [body(asset('a', 1), bad, asset('c', 1))]);
    expect(list).toBe('0 a0\n1 of 1\n0 b0\n0 c0\n1 of 1\n');
    expect(errors).toMatchObject([{ path: [1, 'dates'], kind: 'wrongDate', row: 1 }]);
  });

  it.each([
    ['"asset_name":5,', 'wrongType'],
    ['"asset_version":"1",', 'wrongType'],
    [`"asset_name":"${'x'.repeat(2 ** 20)}",`, 'tooLarge'],
  ])('have the errors of the id, the name and the version: %.20s', (others, kind) => {
    const { errors } = read(asked, [body(asset('a', 1), asset('b', 1, others))]);
    expect(errors).toMatchObject([{ path: [1], kind }]);
    const { errors: ofAnother } = read(asked, [body(asset('b', 1, '"asset_categories":5,'))]);
    expect(ofAnother).toEqual([]);
  });
});

describe('The attributes of the entry that is read', () => {
  it('are undefined until they were read, and then null or a value', () => {
    const seen: unknown[] = [];
    const look: FieldType = {
      make: () => {
        let attributes: () => unknown[];
        return {
          begin: ({ attribute }) => {
            attributes = () => [attribute('assetId'), attribute('name'), attribute('version')];
          },
          add: () => seen.push(attributes()),
          write: () => {
            seen.push(attributes());
            return false;
          },
        };
      },
    };
    const all = '{"asset_name":null,"results":[{}],"asset_version":7,"asset_id":"a"}';
    read({ entries: [{ key: 'x', field: 'x', type: look }], isPlain: true }, [
      body(all, '{"asset_id":"b","results":[]}'),
    ]);
    expect(seen).toEqual([
      [undefined, null, undefined],
      ['a', null, 7n],
      ['b', undefined, undefined],
    ]);
  });
});

describe('A field of the caller', () => {
  const range = { key: 'range', field: 'valueRange', type: valueRange };
  const values = [1.5, -2, null, 4];
  const results = bodyOf(
    values.map((m) => row('2024-01-01', { m })),
    [],
  );

  it('is written like one of the engine, and alone where values are plain', () => {
    expect(read({ entries: [range, { key: 'count', field: 'rowCount' }] }, [results]).list).toBe(
      '[{"range":6,"count":4},{"range":null,"count":0}]',
    );
    expect(read({ entries: [range], isPlain: true }, [results]).list).toBe('6null');
  });
});
