import { digits, escapes, hexDigits, unescaped, whiteSpace } from './characters.ts';
import { notJson } from './scanner.ts';

/** The states of the parser: what was read, or what is expected next. Each state is a row of the table. */
const State = {
  value: 0,
  firstEntry: 1,
  firstName: 2,
  name: 3,
  colon: 4,
  afterValue: 5,
  string: 6,
  escape: 7,
  hex4: 8,
  hex3: 9,
  hex2: 10,
  hex1: 11,
  minus: 12,
  zero: 13,
  integer: 14,
  point: 15,
  fraction: 16,
  exponent: 17,
  exponentSign: 18,
  exponentDigits: 19,
  tr: 20,
  tru: 21,
  true: 22,
  fa: 23,
  fal: 24,
  fals: 25,
  false: 26,
  nu: 27,
  nul: 28,
  null: 29,
} as const;

/**
 * The most bytes of a string that is used, with its quotes. It is decoded and written in one step, which must not take long.
 * The specification shows no string of this size.
 */
const MAX_STRING_BYTES = 1 << 21;

/** The actions of the table, beside the next state. */
const QUOTE = 39;
const OPEN_OBJECT = 40;
const OPEN_ARRAY = 41;
const CLOSE_OBJECT = 42;
const CLOSE_ARRAY = 43;
const COMMA = 44;
const NAME_QUOTE = 45;
const END_QUOTE = 46;
/** The value ends with this byte, or ended before it. */
const END_HERE = 47;
const END_BEFORE = 48;
const BAD = 255;

const table = new Uint8Array(30 << 8).fill(BAD);

/** Sets the next state or action for bytes in some states. */
function on(states: readonly number[], bytes: string | Uint8Array, next: number): void {
  for (let byte = 0; byte < 256; byte += 1) {
    const isIncluded = typeof bytes === 'string' ? bytes.includes(String.fromCharCode(byte)) : bytes[byte] === 1;
    if (isIncluded) for (const state of states) table[(state << 8) | byte] = next;
  }
}

for (const state of [State.value, State.firstEntry, State.firstName, State.name, State.colon, State.afterValue]) {
  on([state], whiteSpace, state);
}
const values = [State.value, State.firstEntry];
on(values, '"', QUOTE);
on(values, '{', OPEN_OBJECT);
on(values, '[', OPEN_ARRAY);
on(values, '-', State.minus);
on([...values, State.minus], '0', State.zero);
on([...values, State.minus, State.integer], '123456789', State.integer);
on([State.integer], '0', State.integer);
for (const word of ['true', 'false', 'null']) {
  const letters = [...word];
  const states = letters.slice(1, -1).map((_, index) => State[word.slice(0, index + 2) as keyof typeof State]);
  // Each state is named after a prefix of the word, and expects the last letter of this prefix.
  on(values, letters[0] as string, states[0] as number);
  for (const [index, state] of states.entries()) {
    const next = states[index + 1] ?? State[word as keyof typeof State];
    on([state], letters[index + 1] as string, next);
  }
  on([State[word as keyof typeof State]], letters.at(-1) as string, END_HERE);
}
on([State.firstEntry, State.afterValue], ']', CLOSE_ARRAY);
on([State.firstName, State.afterValue], '}', CLOSE_OBJECT);
on([State.afterValue], ',', COMMA);
on([State.firstName, State.name], '"', NAME_QUOTE);
on([State.colon], ':', State.value);
on([State.string], unescaped, State.string);
on([State.string], '\\', State.escape);
on([State.string], '"', END_QUOTE);
on([State.escape], escapes, State.string);
on([State.escape], 'u', State.hex4);
for (const state of [State.hex4, State.hex3, State.hex2]) on([state], hexDigits, state + 1);
on([State.hex1], hexDigits, State.string);
on([State.zero, State.integer], '.', State.point);
on([State.point, State.fraction], digits, State.fraction);
on([State.zero, State.integer, State.fraction], 'eE', State.exponent);
on([State.exponent], '+-', State.exponentSign);
on([State.exponent, State.exponentSign, State.exponentDigits], digits, State.exponentDigits);
const numbers = [State.zero, State.integer, State.fraction, State.exponentDigits];
for (const state of numbers) on([state], Uint8Array.from(whiteSpace), END_BEFORE);
on(numbers, ',]}', END_BEFORE);

/** Skips one JSON value of any length and depth, step by step. */
export class LongValue {
  #state: number = State.value;
  #inName = false;
  /** The quote at the start of the last string. */
  #stringStart = 0;
  readonly #maxStringBytes: number;
  /** One bit for each open container: whether it is an object. */
  #objects = new Uint8Array(64);
  #depth = 0;
  /** The next byte to read. When the value has ended, the byte after it. */
  at: number;

  /**
   * @param at the first byte of the value
   * @param isUsed whether its strings may be decoded; then none may be very long
   */
  constructor(at: number, isUsed: boolean) {
    this.at = at;
    this.#maxStringBytes = isUsed ? MAX_STRING_BYTES : Number.POSITIVE_INFINITY;
  }

  /**
   * Reads at most this many more bytes.
   *
   * @param bytes all bytes, or this many more at least
   * @returns whether the value has ended
   * @throws notJson, also for a string that is too long
   */
  read(bytes: Buffer, count: number): boolean {
    const end = Math.min(bytes.length, this.at + count);
    let at = this.at;
    let state = this.#state;
    for (; at < end; at += 1) {
      const next = table[(state << 8) | (bytes[at] as number)] as number;
      if (next < QUOTE) {
        state = next;
        continue;
      }
      state = this.#act(next, at);
      if (this.#depth === 0 && state === State.afterValue) {
        // The byte that ended a number does not belong to it.
        this.at = next === END_BEFORE ? at : at + 1;
        return true;
      }
      if (next === END_BEFORE) at -= 1;
    }
    if (at === bytes.length && at - this.at < count) throw notJson;
    if (state >= State.string && state <= State.hex1) this.#checkString(at);
    this.at = at;
    this.#state = state;
    return false;
  }

  /** @param at the byte of the action */
  #act(action: number, at: number): number {
    switch (action) {
      case QUOTE:
        this.#stringStart = at;
        return State.string;
      case OPEN_OBJECT:
        this.#push(true);
        return State.firstName;
      case OPEN_ARRAY:
        this.#push(false);
        return State.firstEntry;
      case COMMA:
        return this.#isInObject ? State.name : State.value;
      case NAME_QUOTE:
        this.#inName = true;
        this.#stringStart = at;
        return State.string;
      case END_QUOTE: {
        this.#checkString(at + 1);
        const state = this.#inName ? State.colon : State.afterValue;
        this.#inName = false;
        return state;
      }
      case CLOSE_OBJECT:
        this.#pop(true);
        return State.afterValue;
      case CLOSE_ARRAY:
        this.#pop(false);
        return State.afterValue;
      case END_HERE:
      case END_BEFORE:
        return State.afterValue;
      default:
        throw notJson;
    }
  }

  /** @param end the byte after the string, or after what was read of it */
  #checkString(end: number): void {
    if (end - this.#stringStart > this.#maxStringBytes) throw notJson;
  }

  get #isInObject(): boolean {
    const depth = this.#depth - 1;
    return ((this.#objects[depth >> 3] as number) & (1 << (depth & 7))) !== 0;
  }

  #push(isObject: boolean): void {
    const depth = this.#depth;
    if (depth >> 3 === this.#objects.length) {
      const larger = new Uint8Array(this.#objects.length * 2);
      larger.set(this.#objects);
      this.#objects = larger;
    }
    const bits = this.#objects[depth >> 3] as number;
    const bit = 1 << (depth & 7);
    this.#objects[depth >> 3] = isObject ? bits | bit : bits & ~bit;
    this.#depth = depth + 1;
  }

  #pop(isObject: boolean): void {
    if (this.#isInObject !== isObject) throw notJson;
    this.#depth -= 1;
  }
}
