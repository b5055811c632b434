/** Thrown where the bytes end within something: it is read again when more bytes have arrived. Nobody reads its stack. */
export const needsBytes: Error = new Error('More bytes are needed.');

/** The body is no results response: not JSON, not UTF-8, not complete, or with a name or number that is too long; or more would be written of it than may be. */
export class BodyError extends Error {
  readonly kind:
    | 'notJson'
    | 'notUtf8'
    | 'incomplete'
    | 'tooLong'
    | 'tooDeep'
    | 'repeated'
    | 'repeatedAsset'
    | 'unknown'
    | 'workExceeded';

  constructor(kind: BodyError['kind']) {
    super(`The body is invalid: ${kind}.`);
    this.kind = kind;
  }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** So many objects and lists may be in one another. */
const MAX_DEPTH = 1000;

/** So many bytes behind the end are zero: no token has them, so that readers need not ask where the end is. */
export const PADDING = 16;

/** The bytes that need no escape in a string. */
export const plain: Uint8Array = new Uint8Array(256).fill(1, 0x20);
plain[0x22] = 0;
plain[0x5c] = 0;
const isEscape = tableOf('"\\/bfnrt');
const isHex = tableOf('0123456789abcdefABCDEF');

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

/** The bytes of who has none yet: the padding. */
export const nothing = { buffer: Buffer.alloc(PADDING), view: new DataView(new ArrayBuffer(PADDING)) } as const;

/**
 * Reads JSON (RFC 8259) token by token, without making values. Each method begins at `at` and moves it behind what it has read.
 * Each throws `more` if the bytes end before, and a BodyError for bytes that are not JSON.
 */
export class Scanner {
  bytes: Buffer = nothing.buffer;
  view: DataView = nothing.view;
  at = 0;
  /** The end of the bytes, behind which the padding is. */
  end = 0;
  /** Whether the last string has an escape. */
  escaped = false;
  /** The ends of the objects and lists in which the value is that is skipped, and what comes next. */
  readonly #closes: number[] = [];
  #expected: 'value' | 'first' | 'next' | 'key' | 'colon' | 'name' | 'text' = 'value';

  /** Reads the bytes up to `end`, from the first one on. */
  read({ buffer, view }: { readonly buffer: Buffer; readonly view: DataView }, end: number): void {
    this.bytes = buffer;
    this.view = view;
    this.at = 0;
    this.end = end;
  }

  /** Skips a byte order mark, if there is one. */
  byteOrderMark(): void {
    if (this.bytes[this.at] === 0xef) for (const byte of BYTE_ORDER_MARK) this.expect(byte);
  }

  /** It is not as it must be here. */
  fail(at: number): never {
    if (at >= this.end) throw needsBytes;
    throw new BodyError('notJson');
  }

  /** Skips white space. Returns the next byte; 0 at the end. */
  next(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at] as number;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at] as number;
    this.at = at;
    return byte;
  }

  /** Skips white space and this byte. */
  expect(byte: number): void {
    if (this.next() !== byte) this.fail(this.at);
    this.at += 1;
  }

  /** Skips a string. */
  string(): void {
    if (this.bytes[this.at] !== 0x22) this.fail(this.at);
    this.at += 1;
    this.escaped = false;
    this.#text();
  }

  /** Skips the rest of a string. If the bytes end before, `at` is where it can go on. */
  #text(): void {
    const { bytes } = this;
    for (let { at } = this; ; at += 1) {
      while (plain[bytes[at] as number] === 1) at += 1;
      this.at = at;
      if (bytes[at] === 0x22) break;
      if (bytes[at] !== 0x5c) this.fail(at);
      this.escaped = true;
      at += 1;
      if (bytes[at] === 0x75)
        for (let digits = 0; digits < 4; digits += 1) isHex[bytes[++at] as number] === 1 || this.fail(at);
      else if (isEscape[bytes[at] as number] !== 1) this.fail(at);
    }
    this.at += 1;
  }

  /** Skips a number. */
  number(): void {
    const { bytes } = this;
    let { at } = this;
    if (bytes[at] === 0x2d) at += 1;
    at = bytes[at] === 0x30 ? at + 1 : this.#digits(at);
    if (bytes[at] === 0x2e) at = this.#digits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at += 1;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
      at = this.#digits(at);
    }
    // It may go on, and in an object or list something must follow it.
    if (at === this.end) throw needsBytes;
    this.at = at;
  }

  #digits(start: number): number {
    const { bytes } = this;
    let at = start;
    while (isDigit(bytes[at] as number)) at += 1;
    if (at === start) this.fail(at);
    return at;
  }

  #word(word: string): void {
    for (let index = 0; index < word.length; index += 1)
      if (this.bytes[this.at + index] !== word.charCodeAt(index)) this.fail(this.at + index);
    this.at += word.length;
  }

  /** Skips white space and a value. */
  skip(): void {
    this.escaped = false;
    const byte = this.next();
    if (byte === 0x22) this.string();
    else if (byte === 0x7b || byte === 0x5b) {
      this.beginSkip();
      this.skipOn();
    } else this.#simple(byte);
  }

  /** A value has to be skipped, of any size: `skipOn` does it. */
  beginSkip(): void {
    if (this.#closes.length > 0) this.#closes.length = 0;
    this.#expected = 'value';
  }

  /** Goes on to skip the value. If the bytes end before, it goes on at `at` when there are more, and needs none of those before. */
  skipOn(): void {
    const closes = this.#closes;
    for (;;) {
      const expected = this.#expected;
      if (expected === 'text' || expected === 'name') {
        this.#text();
        this.#expected = expected === 'text' ? 'next' : 'colon';
        continue;
      }
      if (expected === 'next' && closes.length === 0) return;
      const byte = this.next();
      const close = closes.at(-1);
      if ((expected === 'next' || expected === 'first') && byte === close) {
        this.at += 1;
        closes.pop();
        this.#expected = 'next';
      } else if (expected === 'next') {
        this.expect(0x2c);
        this.#expected = close === 0x7d ? 'key' : 'value';
      } else if (expected === 'colon') {
        this.expect(0x3a);
        this.#expected = 'value';
      } else if (expected === 'key' || (expected === 'first' && close === 0x7d)) {
        if (byte !== 0x22) this.fail(this.at);
        this.at += 1;
        this.#expected = 'name';
      } else this.#beginValue(byte);
    }
  }

  #beginValue(byte: number): void {
    if (byte === 0x22) {
      this.at += 1;
      this.#expected = 'text';
    } else if (byte === 0x7b || byte === 0x5b) {
      if (this.#closes.push(byte + 2) > MAX_DEPTH) throw new BodyError('tooDeep');
      this.at += 1;
      this.#expected = 'first';
    } else {
      this.#simple(byte);
      this.#expected = 'next';
    }
  }

  #simple(byte: number): void {
    if (byte === 0x6e) this.#word('null');
    else if (byte === 0x74) this.#word('true');
    else if (byte === 0x66) this.#word('false');
    else this.number();
  }

  /**
   * Skips the name of a member, its colon, and white space. Returns its index among these names; -1 if it is not one of them.
   *
   * @param likely the index that it probably has
   */
  name(names: readonly Buffer[], likely = -1): number {
    this.next();
    const start = this.at;
    const guess = names[likely];
    if (guess !== undefined && this.#isName(start, guess)) {
      this.at = start + guess.length + 2;
      this.#colon();
      return likely;
    }
    this.string();
    const end = this.at;
    const { escaped, bytes } = this;
    this.#colon();
    if (escaped) {
      const text = Buffer.from(JSON.parse(bytes.toString('utf8', start, end)));
      return names.findIndex((name) => name.equals(text));
    }
    for (let index = 0; index < names.length; index += 1)
      if (hasAt(bytes, start + 1, end - 1, names[index] as Buffer)) return index;
    return -1;
  }

  #isName(start: number, name: Buffer): boolean {
    const { bytes } = this;
    const end = start + name.length + 1;
    return bytes[end] === 0x22 && bytes[start] === 0x22 && hasAt(bytes, start + 1, end, name);
  }

  #colon(): void {
    this.expect(0x3a);
    if (this.next() === 0) this.fail(this.at);
  }
}

function hasAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index += 1) if (bytes[start + index] !== text[index]) return false;
  return true;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
