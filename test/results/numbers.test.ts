import { describe, expect, it } from 'vitest';
import { DateParser, USUAL_DAY_LENGTH, usualDayIn, usualTimeIn } from '../../src/core/dates.ts';
import { NumberSorter } from '../../src/results/aggregates/number-sort.ts';
import { numberIn } from '../../src/results/indexing/number.ts';

describe('A number of a row is read as JSON.parse reads it', () => {
  const read = (text: string) => {
    const bytes = Buffer.from(`[${text}]`);
    return numberIn(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 1, bytes.length - 1);
  };

  it.each([
    ...[
      '0',
      '0.0',
      '0.5',
      '-0.1',
      '7',
      '12345678',
      '123456789',
      '1234567890',
      '999999999.999999999',
      '0.000000000000000001',
    ],
    ...['9007199254740993', '9007199254740992.5', '900719925474099.35', '0.30000000000000004', '123456789012345678'],
    ...['1e5', '1.5E-3', '12.25e+2', '0.1234567e1', '1.7976931348623157e308', '5e-324', '0.1234567890123456789'],
  ])('%s', (text) => {
    expect(read(text)).toBe(JSON.parse(text));
  });

  it('whatever its digits are', () => {
    for (let seed = 1; seed <= 20_000; seed += 1) {
      const value = (Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32;
      // Those in the middle of two doubles are the hardest.
      const between = BigInt(2 ** 53 + seed * 2 ** 20 + 1) * 2n - 1n;
      for (const text of [value, value * 100, -value * 1e-5, value * 1e9].map(String))
        expect(read(text)).toBe(Number(text));
      for (const text of [`${between}`, `${between}`.replace(/(?=\d{9}$)/, '.')]) expect(read(text)).toBe(Number(text));
    }
  });
});

describe('A date and a date-time of the usual form are read as any other', () => {
  const readBoth = (text: string) => {
    const bytes = Buffer.from(text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const parser = new DateParser();
    parser.parse(bytes, 0, bytes.length);
    const usual = text.length === USUAL_DAY_LENGTH ? usualDayIn(view, 0) : usualTimeIn(view, 0);
    return [usual, parser.milliseconds];
  };

  it.each([
    ...['2024-02-29T23:59:59Z', '0000-01-01T00:00:00Z', '9999-12-31T12:30:45Z'],
    ...['2024-02-29', '0000-01-01', '9999-12-31', '1900-02-28'],
  ])('%s', (text) => {
    expect(readBoth(text)).toEqual([Date.parse(text), Date.parse(text)]);
  });

  it.each([
    ...['2023-02-29T00:00:00Z', '2024-13-01T00:00:00Z', '2024-01-32T00:00:00Z', '2024-01-01T24:00:00Z'],
    ...['2024-01-01T00:60:00Z', '2024-01-01T00:00:61Z', '2024-0:-01T00:00:00Z', '202/-01-01T00:00:00Z'],
    ...['2023-02-29', '1900-02-29', '2024-13-01', '2024-00-01', '2024-01-00', '2024-01-32', '2024-0:-01', '202/-01-01'],
    ...['2024-01-0:', '2024-01-/1', '2024/01-01', '2024-01/01', '2024-1-011', 'Mon 1 2024'],
  ])('not %s', (text) => {
    expect(readBoth(text)).toEqual([Number.NaN, Number.NaN]);
  });
});

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
    const sorter = new NumberSorter(5000);
    for (const length of [0, 1, 2, 24, 25, 100, 1000, 4096, 5000]) {
      const values = Float64Array.from({ length }, (_, at) =>
        spread((Math.imul(at + length, 0x9e3779b1) >>> 0) / 2 ** 32),
      );
      const expected = values.toSorted();
      sorter.sort(values);
      expect(values).toEqual(expected);
    }
  });
});
