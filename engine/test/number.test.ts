import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dice, NUMBERS } from '../../test/support/json-text.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { numberAt, numberEnd, stringEnd } from '../number.ts';
import { PADDING, viewOf } from '../scanner.ts';

/** Numbers are exactly those that JSON.parse reads. */

const bytes = Buffer.alloc(1024);
const view = viewOf(bytes);

/** Puts a text behind two bytes, and zeros behind it. Returns its end. */
function put(text: string): number {
  const end = 2 + bytes.write(text, 2);
  bytes.fill(0, end, end + PADDING);
  return end;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether it can be copied as it is: a number that is finite and not -0, or null. */
const isPlain = (value: unknown) => value === null || (Number.isFinite(value) && !Object.is(value, -0));

/** What is wrong with how a text is read. Undefined if nothing is. */
function mismatch(text: string): string | undefined {
  const value = parsed(text);
  const end = put(text);
  if ((numberEnd(bytes, view, 2) === end) !== isPlain(value)) return `${text} ends at ${numberEnd(bytes, view, 2) - 2}`;
  if (typeof value !== 'number') return undefined;
  const read = numberAt(bytes, view, 2, end);
  return Object.is(read, value) ? undefined : `${text} is ${read} instead of ${value}`;
}

const mismatches = (texts: readonly string[]) => texts.map(mismatch).filter((wrong) => wrong !== undefined);

const PER_CASE = 500;

/** Checks so many numbers that are drawn. */
function check(landing: number, draw: (dice: Dice) => string): void {
  const cases = Math.ceil(landing / PER_CASE);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
      const dice = new Dice(seed);
      expect(mismatches(Array.from({ length: PER_CASE }, () => draw(dice)))).toEqual([]);
    }),
    { numRuns: randomCases(cases) },
  );
}

/** So many digits, of which many are 0, 5 and 9. */
const digits = (dice: Dice, count: number) => {
  const pool = dice.of(['0123456789', '0123456789', '09', '059', '9']);
  return Array.from({ length: count }, () => pool[dice.below(pool.length)]).join('');
};
const sign = (dice: Dice) => (dice.oneIn(3) ? '-' : '');
const whole = (dice: Dice, count: number) => (count === 0 ? '0' : `${1 + dice.below(9)}${digits(dice, count - 1)}`);
const exponent = (dice: Dice) => `${dice.of(['e', 'E'])}${dice.of(['', '+', '-'])}${dice.below(340)}`;

/**
 * The decimals of at most 18 digits that are nearest to the middle of two doubles. Such a middle is an odd number of 54 bits divided by
 * 2^shift. With numerators over 5^decimals * 2^shift it differs by one from the decimal.
 */
function hardest(): string[] {
  const found: string[] = [];
  for (let decimals = 9; decimals <= 18; decimals += 1)
    for (let shift = 24; shift <= 53 + decimals; shift += 1) {
      const [unit, factor] = [5n ** BigInt(decimals), 1n << BigInt(shift - decimals)];
      const least = ((1n << 53n) * unit) / factor + 1n;
      const inverse = ((unit + 1n) / 2n) ** BigInt(shift - decimals) % unit;
      for (const rest of [inverse, unit - inverse])
        for (let times = 0n; times < 20n; times += 1n) {
          const number = least + ((((rest - least) % unit) + unit) % unit) + times * unit;
          const text = String(number).padStart(decimals + 1, '0');
          if (number * factor < (1n << 54n) * unit && text.length <= 18)
            found.push(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`);
        }
    }
  return found;
}

describe('Numbers', () => {
  it('are exact, whatever the digits before and behind the point', { tags: ['random'], timeout: 600_000 }, () => {
    check(1_000_000, (dice) => {
      const before = dice.below(19);
      const behind = dice.below(19);
      return `${sign(dice)}${whole(dice, before)}${behind === 0 ? '' : `.${digits(dice, behind)}`}`;
    });
  });

  it('are exact beside the middle of two doubles', () => {
    const texts = hardest();
    expect(texts.length).toBeGreaterThan(1000);
    expect(mismatches(texts)).toEqual([]);
  });

  it('are exact with exponents', { tags: ['random'], timeout: 600_000 }, () => {
    check(300_000, (dice) => {
      const behind = dice.below(20);
      return `${sign(dice)}${whole(dice, dice.below(20))}${behind === 0 ? '' : `.${digits(dice, behind)}`}${exponent(dice)}`;
    });
  });

  it('are exact with hundreds of digits', { tags: ['random'], timeout: 600_000 }, () => {
    check(20_000, (dice) => `${sign(dice)}${whole(dice, dice.below(100))}.${digits(dice, 1 + dice.below(120))}`);
  });

  it('are the shortest text of any double', { tags: ['random'], timeout: 600_000 }, () => {
    const doubles = new DataView(new ArrayBuffer(8));
    check(300_000, (dice) => {
      doubles.setInt32(0, dice.below(2 ** 32));
      doubles.setInt32(4, dice.below(2 ** 32));
      const value = doubles.getFloat64(0);
      return Number.isFinite(value) ? String(value) : '0';
    });
  });

  it('are copied only if they are numbers', { tags: ['random'], timeout: 600_000 }, () => {
    const characters = ['', ...'0123456789-+.eE'];
    check(300_000, (dice) => Array.from({ length: 1 + dice.below(12) }, () => dice.of(characters)).join('') || '-');
  });

  it.each([
    [
      'at the limits of doubles',
      ['1e400', '-1e400', '1.7976931348623157e308', '1.7976931348623159e308', '9'.repeat(308)],
    ],
    ['of many digits', ['9'.repeat(309), '9'.repeat(400), `0.${'0'.repeat(400)}1`, `1${'0'.repeat(200)}.5`]],
    ['below the normal ones', ['5e-324', '2e-324', '3e-324', '-2e-324', '2.2250738585072014e-308', '1e-400', '0e400']],
    ['that are zero', ['0', '0.0', '0e5', '0.000', '-0', '-0.0', '-0e5', '-0E-5', '-0.00000000000000000000000000']],
    ['that are nearly -0', ['-0.1', '-0.00000000000000000001', '-0.0000000000000000000000001', '-1e-400', '-0.1e-330']],
    ['of 53 and 54 bits', ['9007199254740991', '9007199254740993', '9007199254740992.5', '0.1', '0.30000000000000004']],
    ['of every kind', NUMBERS],
    ['that are null', ['null', 'nul', 'nulx', 'NULL', 'true', '"1"', '[1]', '{}', '']],
    [
      'that are none',
      ['01', '-', '.5', '1.', '1.e5', '1e', '1e+', '+1', '1.5.5', '0x10', 'NaN', 'Infinity', '--1', '1e5.5'],
    ],
  ])('%s', (_, texts) => {
    expect(mismatches(texts)).toEqual([]);
  });

  it('have no value if they are null', () => {
    expect(numberAt(bytes, view, 2, put('null'))).toBeNaN();
    expect(numberEnd(bytes, view, 2)).toBe(6);
  });
});

describe('Strings', () => {
  it('end at their quote if they have no escape', { tags: ['random'], timeout: 600_000 }, () => {
    const characters = ['a', '~', ' ', '\u007f', 'é', '\u2028', '💥', '"', '\\', '\u0000', '\u001f', '\n'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 12 }), (all) => {
        const text = `"${all.join('')}"`;
        const end = put(text);
        const value = parsed(text);
        const isCopied = typeof value === 'string' && !text.includes('\\');
        expect(stringEnd(bytes, view, 2) === end).toBe(isCopied);
      }),
      { numRuns: randomCases(50_000) },
    );
  });

  it.each(['"', '"a', '"abcdefgh', '"é', '"a\\"'])('%s has no end', (text) => {
    put(text);
    expect(stringEnd(bytes, view, 2)).toBe(-1);
  });
});
