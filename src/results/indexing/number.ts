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
