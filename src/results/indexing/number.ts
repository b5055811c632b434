/** The bytes of decimal digits. */
export const digits: Uint8Array = new Uint8Array(256).fill(1, 0x30, 0x3a);

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

/** Of a number with more digits JSON.parse reads the bytes. */
const MAX_DIGITS = 18;
/** The digits of the higher part of a number, at most; its lower part has up to twelve. */
const HIGH_DIGITS = 9;
/** The lowest bits of the higher part, whose product with a power of ten is exact, as that of the others. */
const LOW_BITS = 10;
const powersOfTen = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);
/** The higher half of the bits of each power, whose products with another half are exact (Dekker 1971). */
const SPLIT = 2 ** 27 + 1;
const highParts = powersOfTen.map((power) => power * SPLIT - (power * SPLIT - power));
const lowParts = powersOfTen.map((power, exponent) => power - (highParts[exponent] as number));
const inversePowers = powersOfTen.map((power) => 1 / power);
/** Which part of a correction is unsure, at most. */
const UNSURE = 2 ** -40;

/**
 * The finite number or null in these bytes, as JSON.parse reads it; NaN for null. Numbers with an exponent or with more than 18
 * digits are rare. Four digits are read at a time.
 *
 * @param view the same bytes
 */
export function numberIn(bytes: Buffer, view: DataView, start: number, end: number): number {
  let at = start;
  const first = bytes[at] as number;
  if (first === 0x6e) return Number.NaN;
  // The sign of a negative zero is cleared.
  if (first === 0x2d || first === 0x20) at += 1;
  let high = 0;
  let digitCount = 0;
  // A zero before the point is no digit that counts.
  if (bytes[at] === 0x30) at += 1;
  for (; at < end && digits[bytes[at] as number] === 1; at += 1) {
    high = high * 10 + (bytes[at] as number) - 0x30;
    digitCount += 1;
  }
  const decimals = at < end ? end - at - 1 : 0;
  if (digitCount > HIGH_DIGITS || digitCount + decimals > MAX_DIGITS) return parsed(bytes, start, end);
  if (at < end && bytes[at] !== 0x2e) return parsed(bytes, start, end);
  at += 1;
  let low = 0;
  let lowDigits = 0;
  for (; at + 4 <= end; at += 4) {
    const four = view.getInt32(at, true) ^ 0x30303030;
    if ((four & 0xf0f0f0f0) !== 0) return parsed(bytes, start, end);
    const pairs = (Math.imul(four, 10) + (four >>> 8)) & 0x00ff00ff;
    const value = (Math.imul(pairs, 100) + (pairs >>> 16)) & 0xffff;
    if (digitCount <= HIGH_DIGITS - 4) {
      high = high * 10_000 + value;
      digitCount += 4;
    } else {
      low = low * 10_000 + value;
      lowDigits += 4;
    }
  }
  for (; at < end; at += 1) {
    const digit = bytes[at] as number;
    if (digits[digit] !== 1) return parsed(bytes, start, end);
    low = low * 10 + digit - 0x30;
    lowDigits += 1;
  }
  const value = quotient(high, low, lowDigits, decimals);
  if (Number.isNaN(value)) return parsed(bytes, start, end);
  return first === 0x2d ? -value : value;
}

function parsed(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString('latin1', start, end));
}

/**
 * The double that is nearest to (high * 10^lowDigits + low) / 10^decimals. NaN if that is unsure: if the quotient is about in the
 * middle of two doubles.
 */
function quotient(high: number, low: number, lowDigits: number, decimals: number): number {
  // The dividend is the sum of two doubles, which are exact.
  const factor = powersOfTen[lowDigits] as number;
  const upper = (high >> LOW_BITS) * factor * (1 << LOW_BITS);
  const lower = (high & ((1 << LOW_BITS) - 1)) * factor + low;
  const dividend = upper + lower;
  if (dividend <= Number.MAX_SAFE_INTEGER) return dividend / (powersOfTen[decimals] as number);
  const rest = lower - (dividend - upper);
  const near = dividend / (powersOfTen[decimals] as number);
  // What remains of the dividend, exactly: without the product of `near` and the power, which is the sum of two doubles too.
  const scaled = near * SPLIT;
  const highPart = scaled - (scaled - near);
  const lowPart = near - highPart;
  const powerHigh = highParts[decimals] as number;
  const powerLow = lowParts[decimals] as number;
  const product = near * (powersOfTen[decimals] as number);
  const lost = highPart * powerHigh - product + highPart * powerLow + lowPart * powerHigh + lowPart * powerLow;
  const correction = (dividend - product - lost + rest) * (inversePowers[decimals] as number);
  const value = near + correction;
  const unsure = correction * UNSURE;
  return near + (correction - unsure) === value && near + (correction + unsure) === value ? value : Number.NaN;
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
