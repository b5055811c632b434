import { digits, escapes, hexDigits, unescaped, whiteSpace } from './characters.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT_END = 0x7d;
const ARRAY_END = 0x5d;

/** Thrown for bytes that are not JSON. There is one object: nobody reads its stack, and capturing one is slow. */
export const notJson = new Error('These bytes are not JSON.');

/** A name of a member that is not one of the known names. */
const OTHER = -1;
/** The name or its value does not start within the window. */
export const TRUNCATED = -2;
/** No known name is longer than this, even if each of its characters is escaped. */
const MAX_NAME_LENGTH = 256;

/**
 * Reads JSON (RFC 8259) from bytes, token by token, without creating values. Every method starts at `at` and moves it after
 * the bytes that it read. It throws `notJson` for bytes that are not JSON.
 *
 * It reads through a window, so that no call takes long. The end of the window looks like the end of all bytes. The methods
 * named `try` recognize this case; long-value.ts handles it.
 */
export class Scanner {
  /** All bytes that have arrived. */
  whole: Buffer;
  /** The same bytes, for reading words. */
  view: DataView;
  /** The bytes up to the window's end. */
  bytes: Buffer;
  /** The next byte to read. */
  at: number;
  /** Whether the last string has an escape. */
  escaped = false;
  /** Whether no more bytes will arrive. */
  isComplete: boolean;
  /** The size of the window. It moves when less than half of it is left. */
  readonly #windowBytes: number;
  readonly #aheadBytes: number;

  constructor(whole: Buffer, windowBytes: number, at = 0, isComplete = true) {
    this.#windowBytes = windowBytes;
    this.#aheadBytes = windowBytes >> 1;
    this.isComplete = isComplete;
    this.whole = whole;
    this.view = new DataView(whole.buffer, whole.byteOffset, whole.length);
    this.at = at;
    this.bytes = whole;
    if (at + this.#windowBytes < whole.length) this.#moveWindow();
  }

  /** More bytes have arrived, or the bytes have moved in memory. */
  extend(whole: Buffer, isComplete: boolean): void {
    this.whole = whole;
    this.view = new DataView(whole.buffer, whole.byteOffset, whole.length);
    this.isComplete = isComplete;
    this.#moveWindow();
  }

  /** Moves the window if little of it is left. Returns whether more bytes have to arrive first. */
  widen(): boolean {
    if (this.bytes.length - this.at >= this.#aheadBytes) return false;
    if (this.bytes.length < this.whole.length) this.#moveWindow();
    return !this.has(this.#aheadBytes, this.at);
  }

  /** Whether this many bytes from `at` on have arrived, or as many as there will be. */
  has(count: number, at: number): boolean {
    return this.isComplete || this.whole.length - at >= count;
  }

  /** Whether the window ends where all bytes end. */
  get isAtEnd(): boolean {
    return this.isComplete && this.bytes.length === this.whole.length;
  }

  #moveWindow(): void {
    const end = this.at + this.#windowBytes;
    this.bytes = end < this.whole.length ? this.whole.subarray(0, end) : this.whole;
  }

  /** Skips white space. Returns the next byte, or -1 at the end. */
  next(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at];
    while (byte !== undefined && whiteSpace[byte] === 1) {
      at += 1;
      byte = bytes[at];
    }
    this.at = at;
    return byte ?? -1;
  }

  /** Skips white space and this byte. */
  expect(byte: number): void {
    if (this.next() !== byte) throw notJson;
    this.at += 1;
  }

  /** Skips a string, from its quote on. */
  string(): void {
    const { bytes } = this;
    let at = this.at + 1;
    this.escaped = false;
    for (;;) {
      while (unescaped[bytes[at] as number] === 1) at += 1;
      if (bytes[at] === QUOTE) break;
      if (bytes[at] !== BACKSLASH) throw notJson;
      this.escaped = true;
      at = this.#escape(at + 1);
    }
    this.at = at + 1;
  }

  /** Skips a number. */
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

  /** Skips `null`, from its n on. */
  null(): void {
    this.#word(0x75, 0x6c, 0x6c);
  }

  /** Skips white space and any value of any depth. */
  skipValue(): void {
    if (this.#skipToken()) return;
    const ends: number[] = [];
    for (;;) {
      // At the bracket or brace of a container.
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

  /** Does the same. Returns false, and stays here, if the value does not end within the window. */
  trySkip(): boolean {
    const start = this.at;
    try {
      this.skipValue();
      // A number at the end of the window may continue after it.
      if (this.isAtEnd || this.at < this.bytes.length) return true;
    } catch (error) {
      if (error !== notJson || this.isAtEnd) throw error;
    }
    this.at = start;
    return false;
  }

  /**
   * Skips a comma, or the `close` of an array or object.
   *
   * @returns whether another entry or member follows
   */
  more(close: number): boolean {
    const byte = this.next();
    this.at += 1;
    if (byte === 0x2c) return true;
    if (byte === close) return false;
    throw notJson;
  }

  /** Skips the `close` of an empty container. Returns whether it was there. */
  isEmpty(close: number): boolean {
    if (this.next() !== close) return false;
    this.at += 1;
    return true;
  }

  /**
   * Skips the name of a member and its colon.
   *
   * @returns the index of the known name; OTHER for another name
   */
  name(known: readonly Uint8Array[]): number {
    if (this.next() !== QUOTE) throw notJson;
    const start = this.at;
    this.string();
    const { at: end, escaped } = this;
    this.expect(0x3a);
    return escaped ? this.indexOfEscaped(start, end, known) : this.#indexOf(start + 1, end - 1, known);
  }

  /** Does the same, and skips to the value. Returns TRUNCATED, and stays here, if that is not within the window. */
  tryName(known: readonly Uint8Array[]): number {
    const start = this.at;
    try {
      const name = this.name(known);
      if (this.next() !== -1 || this.isAtEnd) return name;
    } catch (error) {
      if (error !== notJson || this.isAtEnd) throw error;
    }
    this.at = start;
    return TRUNCATED;
  }

  /** The index of the known name that a string with escapes equals. The bytes include its quotes. */
  indexOfEscaped(start: number, end: number, known: readonly Uint8Array[]): number {
    if (end - start > MAX_NAME_LENGTH) return OTHER;
    const name = Buffer.from(JSON.parse(this.whole.toString('utf8', start, end)));
    return known.findIndex((candidate) => name.equals(candidate));
  }

  #indexOf(start: number, end: number, known: readonly Uint8Array[]): number {
    for (let index = 0; index < known.length; index += 1) {
      if (this.#equals(start, end, known[index] as Uint8Array)) return index;
    }
    return OTHER;
  }

  #equals(start: number, end: number, text: Uint8Array): boolean {
    if (end - start !== text.length) return false;
    const { bytes } = this;
    for (let offset = 0; offset < text.length; offset += 1) {
      if (bytes[start + offset] !== text[offset]) return false;
    }
    return true;
  }

  /** Skips a value that is not a container. Returns false for a container. */
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

  /** Skips a literal name, whose first byte is here, given its other bytes. */
  #word(second: number, third: number, fourth: number): void {
    const { bytes, at } = this;
    if (bytes[at + 1] !== second || bytes[at + 2] !== third || bytes[at + 3] !== fourth) throw notJson;
    this.at = at + 4;
  }
}
