/** Dice, and JSON that JSON.stringify would never write. */

/** Chooses by a seed; the seed 0 makes every choice the first, so that counterexamples come out simple. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    if (this.#state === 0) return 0;
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  oneIn(count: number): boolean {
    return this.below(count) === count - 1;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    const shuffled: T[] = [];
    while (left.length > 0) shuffled.push(...left.splice(this.below(left.length), 1));
    return shuffled;
  }
}

/** Strings as JSON; two of them hold half a surrogate pair. */
export const STRINGS = [
  '"x"',
  '""',
  '"Größe 💥"',
  '"\u2028\u2029\u007f\ufeff"',
  '"\\u00e9\\n\\/\\\\\\""',
  '"\\ud83d\\udca5"',
  '"\\ud800"',
  '"\\udca5 x"',
  '"}],[{"',
  '"__proto__"',
];

/** Numbers that are passed on with their value, whatever they look like. */
export const NUMBERS = [
  ...'1 0 -1.5 0.1e1 1E+2 1.0 -0.5 5e-324 1e-400 0e5 0.0 -0 -0.0 -0e5 -1e-400 1.7976931348623157e308'.split(' '),
  ...['9007199254740993', '12345678901234567890', '9'.repeat(40)],
  '0.1000000000000000055511151231257827021181583404541015625',
];

export const INTEGERS = [
  ...'1 0 2 -1 -0 999999999999999 1000000000000000 9007199254740993'.split(' '),
  ...['9223372036854775807', '-9223372036854775808'],
];

/** A string as JSON, with every character escaped. */
export function escaped(value: string): string {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit, at) => `\\u${at % 2 === 0 ? unit : unit.toUpperCase()}`).join('')}"`;
}
