import { Decline } from './decline.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes that stand for themselves within a JSON string: all but control characters, the quote and the backslash. */
export const plain: Uint8Array = new Uint8Array(256).fill(1, 0x20);
plain[QUOTE] = 0;
plain[BACKSLASH] = 0;

const escapes = new Uint8Array(256);
for (const char of '"\\/bfnrt') escapes[char.charCodeAt(0)] = 1;

/** The bytes of decimal digits. */
export const digits: Uint8Array = new Uint8Array(256).fill(1, 0x30, 0x3a);
const hexDigits = new Uint8Array(256).fill(1, 0x30, 0x3a).fill(1, 0x41, 0x47).fill(1, 0x61, 0x67);

const spaces = new Uint8Array(256);
for (const space of [0x20, 0x09, 0x0a, 0x0d]) spaces[space] = 1;

/** With so many characters before the exponent, and so many digits in it, no number is near the ends of the range. */
export const SHORT_MANTISSA = 25;
const SHORT_EXPONENT = 2;

/** Containers within containers, at most; the recursion of `skipValue` must not exhaust the stack. */
const DEEPEST = 100;

/**
 * Reads JSON (RFC 8259) from bytes, token by token, without making values. Every method starts at `at` and leaves it
 * behind what was read. Whatever is not JSON makes it decline.
 */
export class Scanner {
  readonly bytes: Buffer;
  /** The same bytes, to be read by words. */
  readonly view: DataView;
  /** Where to read on. */
  at: number;
  /** Whether the string read last has an escape in it. */
  escaped = false;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
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
    if (this.next() !== byte) throw Decline.malformed;
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
      if (bytes[at] !== BACKSLASH) throw Decline.malformed;
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

  /** Goes over any value, after white space. */
  skipValue(depth = 0): void {
    const byte = this.next();
    if (byte === QUOTE) this.string();
    else if (byte === 0x7b) this.#skipObject(depth + 1);
    else if (byte === 0x5b) this.#skipArray(depth + 1);
    else if (byte === 0x6e) this.null();
    else if (byte === 0x74) this.#word(0x72, 0x75, 0x65);
    else if (byte === 0x66 && this.bytes[this.at + 1] === 0x61) {
      this.at += 1;
      this.#word(0x6c, 0x73, 0x65);
    } else this.number();
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
    throw Decline.malformed;
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
   * @returns which of the names it is, as an index; -1 for another one
   */
  name(known: readonly Uint8Array[]): number {
    if (this.next() !== QUOTE) throw Decline.malformed;
    const start = this.at + 1;
    this.string();
    if (this.escaped) throw Decline.escapedName;
    const end = this.at - 1;
    this.expect(0x3a);
    for (let index = 0; index < known.length; index += 1) {
      if (this.isText(start, end, known[index] as Uint8Array)) return index;
    }
    return -1;
  }

  /** Whether the bytes from `start` up to, but without, `end` are these. */
  isText(start: number, end: number, text: Uint8Array): boolean {
    if (end - start !== text.length) return false;
    const { bytes } = this;
    for (let offset = 0; offset < text.length; offset += 1) {
      if (bytes[start + offset] !== text[offset]) return false;
    }
    return true;
  }

  #skipObject(depth: number): void {
    if (depth > DEEPEST) throw Decline.tooDeep;
    this.at += 1;
    if (this.isEmpty(0x7d)) return;
    do {
      if (this.next() !== QUOTE) throw Decline.malformed;
      this.string();
      this.expect(0x3a);
      this.skipValue(depth);
    } while (this.more(0x7d));
  }

  #skipArray(depth: number): void {
    if (depth > DEEPEST) throw Decline.tooDeep;
    this.at += 1;
    if (this.isEmpty(0x5d)) return;
    do this.skipValue(depth);
    while (this.more(0x5d));
  }

  #escape(at: number): number {
    const { bytes } = this;
    if (escapes[bytes[at] as number] === 1) return at + 1;
    if (bytes[at] !== 0x75) throw Decline.malformed;
    for (let digit = at + 1; digit <= at + 4; digit += 1) {
      if (hexDigits[bytes[digit] as number] !== 1) throw Decline.malformed;
    }
    return at + 5;
  }

  #digits(at: number): number {
    const { bytes } = this;
    const start = at;
    while (digits[bytes[at] as number] === 1) at += 1;
    if (at === start) throw Decline.malformed;
    return at;
  }

  /** Three bytes behind the one here. */
  #word(second: number, third: number, fourth: number): void {
    const { bytes, at } = this;
    if (bytes[at + 1] !== second || bytes[at + 2] !== third || bytes[at + 3] !== fourth) throw Decline.malformed;
    this.at = at + 4;
  }
}

/** Whether the number in these bytes comes out of JSON.parse as infinity, or as a negative zero. */
export function isExotic(bytes: Buffer, start: number, end: number): boolean {
  let isZero = true;
  let mantissaEnd = start;
  for (; mantissaEnd < end; mantissaEnd += 1) {
    const byte = bytes[mantissaEnd] as number;
    if (byte === 0x65 || byte === 0x45) break;
    if (byte >= 0x31 && byte <= 0x39) isZero = false;
  }
  if (isZero) return bytes[start] === 0x2d;
  const hasSign = bytes[mantissaEnd + 1] === 0x2b || bytes[mantissaEnd + 1] === 0x2d;
  const exponent = mantissaEnd + (hasSign ? 2 : 1);
  if (mantissaEnd - start <= SHORT_MANTISSA && end - exponent <= SHORT_EXPONENT) return false;
  const value = Number(bytes.toString('latin1', start, end));
  return !Number.isFinite(value) || Object.is(value, -0);
}
