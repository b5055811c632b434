const decimal = /^([+-]?)0*(\d{1,19})$/;
const MAX_TEXT_LENGTH = 64;

/** Parses an int64 in decimal digits with an optional sign. Undefined for another text. */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const [, sign, magnitude] = decimal.exec(text) ?? [];
  if (magnitude === undefined) return undefined;
  const value = BigInt(sign === '-' ? `-${magnitude}` : magnitude);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
