/** The most digits of a decimal number here, and of its higher part. */
export const MAX_DIGITS = 18;
export const HIGH_DIGITS = 9;

/** All of them are exact. */
const powersOfTen = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);
/** Nearly exact, for a product instead of a quotient. */
const inversePowers = powersOfTen.map((power) => 1 / power);
/** Which part of a correction is unsure, at most. */
const UNSURE = 2 ** -40;
const SPLIT = 2 ** 27 + 1;

/**
 * The double that is nearest to (high * 10^lowDigits + low) / 10^decimals. NaN if that is unsure, because the quotient is about
 * in the middle of two doubles. A dividend that is no double is the sum of two: of the nearest one, and of what that lacks.
 *
 * @param high at most 9 digits
 * @param low so many digits that both have at most 18
 */
export function nearestDouble(high: number, low: number, lowDigits: number, decimals: number): number {
  const power = powersOfTen[decimals] as number;
  // Exact: 10^9 * 5^9 has less than 53 bits, and factors of 2 need none.
  const upper = high * (powersOfTen[lowDigits] as number);
  const dividend = upper + low;
  if (dividend <= Number.MAX_SAFE_INTEGER) return dividend / power;
  const lacking = low - (dividend - upper);
  const quotient = dividend / power;
  const product = quotient * power;
  const remainder = dividend - product - productError(quotient, power, product) + lacking;
  const correction = remainder * (inversePowers[decimals] as number);
  const value = quotient + correction;
  const unsure = correction * UNSURE;
  const isSure = quotient + (correction - unsure) === value && quotient + (correction + unsure) === value;
  return isSure ? value : Number.NaN;
}

/** What a product lacks because it is rounded, exactly (Dekker 1971). */
function productError(one: number, other: number, product: number): number {
  const oneHigh = higherBits(one);
  const otherHigh = higherBits(other);
  const oneLow = one - oneHigh;
  const otherLow = other - otherHigh;
  return oneHigh * otherHigh - product + oneHigh * otherLow + oneLow * otherHigh + oneLow * otherLow;
}

/** The higher half of the bits of a double, whose products with another half are exact (Veltkamp 1968). */
function higherBits(value: number): number {
  const scaled = value * SPLIT;
  return scaled - (scaled - value);
}
