/** The significant digits of a number with decimals. */
const DIGITS = 6;

/** A value for people: integers are whole, other numbers have at most six significant digits, and at least all before the point. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'no value';
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) < 10 ** DIGITS ? Number(value.toPrecision(DIGITS)) : Math.round(value));
}
