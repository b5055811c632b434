/**
 * Exact arithmetic. A double is an integer times a power of two; lists of doubles get one power that suits them all, so that sums
 * and squares are those of integers. What is computed is compared within the bounds that schema.graphql states.
 */

const view = new DataView(new ArrayBuffer(8));
const MIN_EXPONENT = -1074;
/** How much finer than the values the unit is, because quotients need it. */
const FINER_BITS = 64;

/** The exponent of a double whose significand is an integer; that of 0 is undefined. */
function exponentOf(value: number): number | undefined {
  if (value === 0) return undefined;
  view.setFloat64(0, value);
  return Math.max(1, (view.getUint16(0) >> 4) & 0x7ff) - 1075;
}

/** A double as an integer of this unit, which is a power of two and at most that of the double. */
function integerOf(value: number, unit: number): bigint {
  const exponent = exponentOf(value);
  if (exponent === undefined) return 0n;
  // Exact: the first factor makes a subnormal a normal number.
  const significand = exponent === MIN_EXPONENT ? value * 2 ** 1000 * 2 ** 74 : value / 2 ** exponent;
  return BigInt(significand) << BigInt(exponent - unit);
}

/** The exponent of the unit of these values. */
function unitOf(values: readonly number[]): number {
  let least = 1024;
  for (const value of values) {
    const exponent = exponentOf(value);
    if (exponent !== undefined && exponent < least) least = exponent;
  }
  return Math.max(MIN_EXPONENT, least - FINER_BITS);
}

const abs = (value: bigint) => (value < 0n ? -value : value);
const bitsOf = (value: bigint) => {
  const hexadecimal = abs(value).toString(16);
  return hexadecimal.length * 4 + 28 - Math.clz32(Number.parseInt(hexadecimal.charAt(0), 16));
};

/** The distance from a number to the next double, in its unit. */
const ulp = (value: bigint) => 1n << BigInt(Math.max(0, bitsOf(value) - 53));

/** What a field that is computed may be. */
export interface Check {
  /** What is wrong with a value of the response; undefined if it is right. */
  mismatch(found: unknown): string | undefined;
}

/** A quotient of integers of a unit, within a bound. */
class Near implements Check {
  readonly #over: bigint;
  readonly #under: bigint;
  readonly #bound: bigint;
  readonly #unit: number;

  constructor(over: bigint, under: bigint, bound: bigint, unit: number) {
    this.#over = over;
    this.#under = under;
    this.#bound = bound;
    this.#unit = unit;
  }

  mismatch(found: unknown): string | undefined {
    if (found === null) {
      // Beyond the range of doubles, within the bound.
      const most = integerOf(Number.MAX_VALUE, this.#unit) * this.#under;
      return abs(this.#over) + this.#bound * this.#under > most ? undefined : 'null instead of a number';
    }
    if (typeof found !== 'number') return 'no number';
    const unit = Math.min(this.#unit, exponentOf(found) ?? this.#unit);
    const finer = BigInt(this.#unit - unit);
    const difference = abs(integerOf(found, unit) * this.#under - (this.#over << finer));
    return difference <= (this.#bound << finer) * this.#under ? undefined : 'too far from the exact number';
  }
}

/**
 * The sum of values, divided by a count. Compensated summation is exact to 4 units in the last place, and to the square of the
 * rounding of what cancels out.
 */
export function sumOver(values: readonly number[], count: number): Check {
  const unit = unitOf(values);
  let sum = 0n;
  let size = 0n;
  for (const value of values) {
    const integer = integerOf(value, unit);
    sum += integer;
    size += abs(integer);
  }
  const terms = BigInt(values.length);
  const divisor = BigInt(count);
  const bound = 4n * ulp(sum / divisor) + ((terms * terms * size) >> 104n) / divisor + 1n;
  return new Near(sum, divisor, bound, unit);
}

/** The standard deviation of the population, within a billionth. */
export function deviation(values: readonly number[]): Check {
  return { mismatch: (found) => (isDeviation(found, values) ? undefined : 'not the standard deviation') };
}

function isDeviation(found: unknown, values: readonly number[]): boolean {
  if (typeof found !== 'number') return false;
  const [least, most] = [lowest(values), highest(values)];
  // Differences of less than that have no squares.
  if (most / 2 - least / 2 < 1e-140 / 2) return found < 1e-140;
  const unit = Math.min(unitOf(values), exponentOf(found) ?? 0);
  const count = BigInt(values.length);
  let sum = 0n;
  let squares = 0n;
  for (const value of values) {
    const integer = integerOf(value, unit);
    sum += integer;
    squares += integer * integer;
  }
  const expected = count * squares - sum * sum;
  const square = (integerOf(found, unit) * count) ** 2n;
  return abs(square - expected) * 1_000_000_000n <= 2n * expected;
}

/** A quantile of values that are sorted: type 7 of Hyndman and Fan, linear between ranks. */
export function quantileOf(sorted: readonly number[], quantile: number): Check {
  const last = sorted.length - 1;
  const unitOfQuantile = Math.max(MIN_EXPONENT, exponentOf(quantile) ?? 0);
  const shift = BigInt(-unitOfQuantile);
  const position = BigInt(last) * integerOf(quantile, unitOfQuantile);
  const rank = position >> shift;
  const values = [sorted[Number(rank)] as number, sorted[Math.min(Number(rank) + 1, last)] as number] as const;
  const ends = [sorted[0] as number, sorted[last] as number] as const;
  const unit = unitOf([...values, ...ends]);
  const [low, high, first, end] = [...values, ...ends].map((value) => integerOf(value, unit)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const over = (low << shift) + (position - (rank << shift)) * (high - low);
  // The position is rounded, and a value, the difference of two, and their product are.
  const largest = abs(low) > abs(high) ? abs(low) : abs(high);
  const bound = 4n * ulp(largest) + (((end - first) * BigInt(last + 1)) >> 52n);
  return new Near(over, 1n << shift, bound, unit);
}

export const lowest = (values: readonly number[]) => values.reduce((least, value) => (value < least ? value : least));
export const highest = (values: readonly number[]) => values.reduce((most, value) => (value > most ? value : most));
