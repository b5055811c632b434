import { digits } from './number.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT_END = 0x7d;
const ARRAY_END = 0x5d;

/** Bytes that stand for themselves within a JSON string: all but control characters, the quote and the backslash. */
export const plain: Uint8Array = new Uint8Array(256).fill(1, 0x20);
plain[QUOTE] = 0;
plain[BACKSLASH] = 0;

export const escapes: Uint8Array = new Uint8Array(256);
for (const char of '"\\/bfnrt') escapes[char.charCodeAt(0)] = 1;

export const hexDigits: Uint8Array = new Uint8Array(256).fill(1, 0x30, 0x3a).fill(1, 0x41, 0x47).fill(1, 0x61, 0x67);

export const spaces: Uint8Array = new Uint8Array(256);
for (const space of [0x20, 0x09, 0x0a, 0x0d]) spaces[space] = 1;

/** Thrown for bytes that are not JSON. One object for all: nobody looks at its stack, and making one is slow. */
export const notJson = new Error('These bytes are not JSON.');

/** How many bytes can be read in one go, at most, and how many at least if there are as many left. */
const WINDOW_BYTES = 1 << 18;
const AHEAD_BYTES = WINDOW_BYTES >> 1;

/** A member's name that is none of those asked for. */
export const OTHER = -1;
/** What is read does not end within the window. */
export const CUT = -2;
/** A known name is not longer than this, even where each of its characters is escaped. */
const MAX_NAME_LENGTH = 256;

/**
 * Reads JSON (RFC 8259) from bytes, token by token, without making values. Every method starts at `at` and leaves it
 * behind what was read. Whatever is not JSON makes it throw `notJson`.
 *
 * It reads through a window, so that no call works for long: what does not end within the window looks like an end of
 * all bytes. The methods named `try` tell this case apart, and leave it to long-value.ts.
 */
export class Scanner {
  /** All bytes. */
  readonly whole: Buffer;
  /** The same bytes, to be read by words. */
  readonly view: DataView;
  /** The bytes up to the window's end. */
  bytes: Buffer;
  /** Where to read on. */
  at: number;
  /** Whether the string read last has an escape in it. */
  escaped = false;

  constructor(whole: Buffer, at = 0) {
    this.whole = whole;
    this.view = new DataView(whole.buffer, whole.byteOffset, whole.length);
    this.at = at;
    this.bytes = whole;
    if (at + WINDOW_BYTES < whole.length) this.#moveWindow();
  }

  /** Moves the window on, where only little is left of it. */
  widen(): void {
    if (this.bytes.length - this.at < AHEAD_BYTES && this.bytes.length < this.whole.length) this.#moveWindow();
  }

  /** Whether the window ends with the bytes, so that nothing is cut. */
  get isAtEnd(): boolean {
    return this.bytes.length === this.whole.length;
  }

  #moveWindow(): void {
    const end = this.at + WINDOW_BYTES;
    this.bytes = end < this.whole.length ? this.whole.subarray(0, end) : this.whole;
  }

  /** Goes over white space; the byte there, or -1 at the end. */
  next(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at];
    while (byte !== undefined && spaces[byte] === 1) {
      at += 1;
      byte = bytes[at];
    }
    this.at = at;
    return byte ?? -1;
  }

  /** Takes one byte, after white space. */
  expect(byte: number): void {
    if (this.next() !== byte) throw notJson;
    this.at += 1;
  }

  /** Goes over a string, which starts here with its quote. */
  string(): void {
    const { bytes } = this;
    let at = this.at + 1;
    this.escaped = false;
    for (;;) {
      while (plain[bytes[at] as number] === 1) at += 1;
      if (bytes[at] === QUOTE) break;
      if (bytes[at] !== BACKSLASH) throw notJson;
      this.escaped = true;
      at = this.#escape(at + 1);
    }
    this.at = at + 1;
  }

  /** Goes over a number, which starts here. */
  number(): void {
    const { bytes } = this;
    let { at } = this;
    if (bytes[at] === 0x2d) at += 1;
    if (bytes[at] === 0x30) at += 1;
    else at = this.#digits(at);
    if (bytes[at] === 0x2e) at = this.#digits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at += 1;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
      at = this.#digits(at);
    }
    this.at = at;
  }

  /** Goes over `null`, which starts here with its n. */
  null(): void {
    this.#word(0x75, 0x6c, 0x6c);
  }

  /** Goes over any value, after white space, however deep it is nested. */
  skipValue(): void {
    if (this.#skipToken()) return;
    const ends: number[] = [];
    for (;;) {
      // Here with the bracket or brace of a container.
      const end = this.bytes[this.at] === 0x7b ? OBJECT_END : ARRAY_END;
      this.at += 1;
      if (!this.isEmpty(end)) {
        ends.push(end);
        if (end === OBJECT_END) this.#skipName();
        if (!this.#skipToken()) continue;
      }
      for (;;) {
        const open = ends.at(-1);
        if (open === undefined) return;
        if (!this.more(open)) {
          ends.pop();
          continue;
        }
        if (open === OBJECT_END) this.#skipName();
        if (!this.#skipToken()) break;
      }
    }
  }

  /** Does the same; false, staying here, where the value does not end within the window. */
  trySkip(): boolean {
    const start = this.at;
    try {
      this.skipValue();
      // A number that reaches the window's end may go on behind it.
      if (this.isAtEnd || this.at < this.bytes.length) return true;
    } catch (error) {
      if (error !== notJson || this.isAtEnd) throw error;
    }
    this.at = start;
    return false;
  }

  /**
   * Goes on to the next entry of an array or member of an object: over a comma, or over `close`.
   *
   * @returns whether there is another one
   */
  more(close: number): boolean {
    const byte = this.next();
    this.at += 1;
    if (byte === 0x2c) return true;
    if (byte === close) return false;
    throw notJson;
  }

  /** Goes over the `close` of an empty container; whether it was there. */
  isEmpty(close: number): boolean {
    if (this.next() !== close) return false;
    this.at += 1;
    return true;
  }

  /**
   * Goes over a member's name and its colon.
   *
   * @returns which of the names it is, as an index; OTHER for another one
   */
  name(known: readonly Uint8Array[]): number {
    if (this.next() !== QUOTE) throw notJson;
    const start = this.at;
    this.string();
    const { at: end, escaped } = this;
    this.expect(0x3a);
    return escaped ? this.indexOfEscaped(start, end, known) : this.#indexOf(start + 1, end - 1, known);
  }

  /** Does the same, and goes on to the value's first byte; CUT, staying here, where that is not within the window. */
  tryName(known: readonly Uint8Array[]): number {
    const start = this.at;
    try {
      const name = this.name(known);
      if (this.next() !== -1 || this.isAtEnd) return name;
    } catch (error) {
      if (error !== notJson || this.isAtEnd) throw error;
    }
    this.at = start;
    return CUT;
  }

  /** Which of the names a string with escapes is, given with its quotes. */
  indexOfEscaped(start: number, end: number, known: readonly Uint8Array[]): number {
    if (end - start > MAX_NAME_LENGTH) return OTHER;
    const name = Buffer.from(JSON.parse(this.whole.toString('utf8', start, end)));
    return known.findIndex((candidate) => name.equals(candidate));
  }

  #indexOf(start: number, end: number, known: readonly Uint8Array[]): number {
    for (let index = 0; index < known.length; index += 1) {
      if (this.#isText(start, end, known[index] as Uint8Array)) return index;
    }
    return OTHER;
  }

  #isText(start: number, end: number, text: Uint8Array): boolean {
    if (end - start !== text.length) return false;
    const { bytes } = this;
    for (let offset = 0; offset < text.length; offset += 1) {
      if (bytes[start + offset] !== text[offset]) return false;
    }
    return true;
  }

  /** Goes over a value that is no container; whether it was none. */
  #skipToken(): boolean {
    const byte = this.next();
    if (byte === QUOTE) this.string();
    else if (byte === 0x7b || byte === 0x5b) return false;
    else if (byte === 0x6e) this.null();
    else if (byte === 0x74) this.#word(0x72, 0x75, 0x65);
    else if (byte === 0x66 && this.bytes[this.at + 1] === 0x61) {
      this.at += 1;
      this.#word(0x6c, 0x73, 0x65);
    } else this.number();
    return true;
  }

  #skipName(): void {
    if (this.next() !== QUOTE) throw notJson;
    this.string();
    this.expect(0x3a);
  }

  #escape(at: number): number {
    const { bytes } = this;
    if (escapes[bytes[at] as number] === 1) return at + 1;
    if (bytes[at] !== 0x75) throw notJson;
    for (let digit = at + 1; digit <= at + 4; digit += 1) {
      if (hexDigits[bytes[digit] as number] !== 1) throw notJson;
    }
    return at + 5;
  }

  #digits(at: number): number {
    const { bytes } = this;
    const start = at;
    while (digits[bytes[at] as number] === 1) at += 1;
    if (at === start) throw notJson;
    return at;
  }

  /** Three bytes behind the one here. */
  #word(second: number, third: number, fourth: number): void {
    const { bytes, at } = this;
    if (bytes[at + 1] !== second || bytes[at + 2] !== third || bytes[at + 3] !== fourth) throw notJson;
    this.at = at + 4;
  }
}
