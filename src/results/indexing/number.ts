import { isNonFinite } from '../../rest/contract/wire.ts';
import { digits } from '../../scanner/characters.ts';
import { HIGH_DIGITS, MAX_DIGITS, nearestDouble } from './decimal.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;

/** A number with at most this many characters before the exponent, and digits in it, is far from overflow and underflow. */
export const SHORT_MANTISSA = 25;
const SHORT_EXPONENT = 2;

/** How JSON.parse reads a number: as a finite number, as a negative zero, or as infinite. */
export const NumberKind = { finite: 0, negativeZero: 1, infinite: 2 } as const;
export type NumberKind = (typeof NumberKind)[keyof typeof NumberKind];

/** How JSON.parse reads the number in these bytes. */
export function kindOfNumber(bytes: Buffer, start: number, end: number): NumberKind {
  let isZero = true;
  let mantissaEnd = start;
  for (; mantissaEnd < end; mantissaEnd += 1) {
    const byte = bytes[mantissaEnd] as number;
    if (byte === 0x65 || byte === 0x45) break;
    if (byte >= 0x31 && byte <= 0x39) isZero = false;
  }
  if (isZero) return bytes[start] === 0x2d ? NumberKind.negativeZero : NumberKind.finite;
  const hasSign = bytes[mantissaEnd + 1] === 0x2b || bytes[mantissaEnd + 1] === 0x2d;
  const exponent = mantissaEnd + (hasSign ? 2 : 1);
  if (mantissaEnd - start <= SHORT_MANTISSA && end - exponent <= SHORT_EXPONENT) return NumberKind.finite;
  const value = Number(bytes.toString('latin1', start, end));
  if (!Number.isFinite(value)) return NumberKind.infinite;
  return Object.is(value, -0) ? NumberKind.negativeZero : NumberKind.finite;
}

/** The most bytes of the text of a non-finite number as JSON, with an escape for each character. */
const MAX_NON_FINITE_BYTES = 2 + 6 * '-Infinity'.length;

/** Whether a JSON string is the text of a non-finite number. */
export function isNonFiniteString(bytes: Buffer, start: number, end: number): boolean {
  return end - start <= MAX_NON_FINITE_BYTES && isNonFinite(JSON.parse(bytes.toString('utf8', start, end)));
}

/** The end of the text of a non-finite number, if no character is escaped. -1 for anything else. No string is made: they may be many. */
export function nonFiniteEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  let at = start + 1;
  if (bytes[at] === MINUS) at += 1;
  const word = at === start + 1 && lowerCase(bytes[at]) === NAN[0] ? NAN : INFINITY;
  for (let letter = 0; letter < word.length; letter += 1, at += 1) if (lowerCase(bytes[at]) !== word[letter]) return -1;
  return bytes[at] === QUOTE ? at + 1 : -1;
}

const NAN = Buffer.from('nan');
const INFINITY = Buffer.from('infinity');

/** A letter in lower case. No other byte becomes a letter. */
function lowerCase(byte: number | undefined): number {
  return (byte as number) | 0x20;
}

/**
 * The finite number, the text of another one, or null in these bytes, as JSON.parse reads it; NaN for text and null. Four digits are read at a time. JSON.parse reads
 * numbers that are rare: those with an exponent, with more than 18 digits, or with more than nine before the point.
 *
 * @param view the same bytes
 */
export function numberIn(bytes: Buffer, view: DataView, start: number, end: number): number {
  const first = bytes[start] as number;
  if (first === 0x6e || first === QUOTE) return Number.NaN;
  // The sign of a negative zero is cleared.
  let at = first === 0x2d || first === 0x20 ? start + 1 : start;
  // A zero before the point is no digit that counts.
  if (bytes[at] === 0x30) at += 1;
  const firstDigit = at;
  // The first digits, without the point.
  let high = 0;
  for (; at < end && digits[bytes[at] as number] === 1; at += 1) high = high * 10 + (bytes[at] as number) - 0x30;
  let highDigits = at - firstDigit;
  const decimals = at < end ? end - at - 1 : 0;
  const isUsual =
    highDigits <= HIGH_DIGITS && highDigits + decimals <= MAX_DIGITS && (at === end || bytes[at] === 0x2e);
  if (!isUsual) return parsed(bytes, start, end);
  at += 1;
  // The digits after them.
  let low = 0;
  let lowDigits = 0;
  for (; at + 4 <= end; at += 4) {
    const four = view.getInt32(at, true) ^ 0x30303030;
    if ((four & 0xf0f0f0f0) !== 0) return parsed(bytes, start, end);
    if (highDigits <= HIGH_DIGITS - 4) {
      high = high * 10_000 + numberOfFour(four);
      highDigits += 4;
    } else {
      low = low * 10_000 + numberOfFour(four);
      lowDigits += 4;
    }
  }
  for (; at < end; at += 1) {
    const digit = bytes[at] as number;
    if (digits[digit] !== 1) return parsed(bytes, start, end);
    low = low * 10 + digit - 0x30;
    lowDigits += 1;
  }
  const value = nearestDouble(high, low, lowDigits, decimals);
  if (Number.isNaN(value)) return parsed(bytes, start, end);
  return first === 0x2d ? -value : value;
}

/** The number of four digits, which are the bytes of a word, the first one in the lowest. Pairs of digits come first. */
function numberOfFour(word: number): number {
  const pairs = (Math.imul(word, 10) + (word >>> 8)) & 0x00ff00ff;
  return (Math.imul(pairs, 100) + (pairs >>> 16)) & 0xffff;
}

function parsed(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString('latin1', start, end));
}

/**
 * Overwrites the sign of a negative zero with a space, because JSON.stringify writes -0 as 0. The offsets stay the same.
 *
 * @param start the byte of the sign
 */
export function clearSign(bytes: Buffer, start: number): void {
  bytes[start] = 0x20;
}

/** Whether a value that starts with this byte is a number. */
export function isNumeric(byte: number): boolean {
  return byte === 0x2d || digits[byte] === 1;
}
