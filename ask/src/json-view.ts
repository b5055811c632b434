/** Thrown when the bytes are not JSON. */
export class JsonError extends Error {
  constructor() {
    super('The bytes are not JSON.');
    this.name = 'JsonError';
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * A JSON value within the bytes of a response. Numbers keep every digit, and a response of a hundred megabytes takes no
 * more memory than its bytes. The end of a value is found when it is needed.
 */
export class JsonView {
  readonly #bytes: Buffer;
  readonly #start: number;
  #end: number | undefined;

  constructor(bytes: Buffer, start = 0) {
    this.#bytes = bytes;
    this.#start = this.#afterSpace(start);
  }

  /** The bytes of the value, as received. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#start, this.end);
  }

  /** The offset after the value. @throws JsonError when the value is incomplete */
  get end(): number {
    this.#end ??= this.#findEnd();
    return this.#end;
  }

  /** Parses the value, which should be small. @throws JsonError when it is malformed */
  parse(): unknown {
    try {
      return JSON.parse(this.bytes.toString());
    } catch {
      throw new JsonError();
    }
  }

  /** The member at a path of names; undefined if there is none, or if a value on the path is not an object. */
  member(...path: readonly string[]): JsonView | undefined {
    const [name, ...rest] = path;
    if (name === undefined) return this;
    for (const [key, view] of this.members()) {
      if (key === name) return view.member(...rest);
    }
    return undefined;
  }

  /** The members of an object; none for any other value. */
  *members(): Generator<[string, JsonView]> {
    if (this.#bytes[this.#start] !== OPEN_OBJECT) return;
    for (const key of this.#parts(CLOSE_OBJECT)) {
      const colon = this.#afterSpace(key.end);
      if (this.#bytes[colon] !== COLON) throw new JsonError();
      const value = new JsonView(this.#bytes, colon + 1);
      yield [String(key.parse()), value];
      key.#end = value.end;
    }
  }

  /** The elements of a list; none for any other value. */
  *elements(): Generator<JsonView> {
    if (this.#bytes[this.#start] === OPEN_LIST) yield* this.#parts(CLOSE_LIST);
  }

  /** The numbers of a list that holds only numbers and nulls, each with the digits received. */
  numbers(): (string | null)[] {
    const text = this.bytes.toString('latin1').slice(1, -1);
    if (text.trim() === '') return [];
    return text.split(',').map((number) => (number.trim() === 'null' ? null : number.trim()));
  }

  /** The parts between commas. `members` extends the end of a part from its key to its value. */
  *#parts(close: number): Generator<JsonView> {
    let position = this.#afterSpace(this.#start + 1);
    if (this.#bytes[position] === close) return;
    for (;;) {
      const part = new JsonView(this.#bytes, position);
      yield part;
      position = this.#afterSpace(part.end);
      const next = this.#bytes[position];
      if (next === close) return;
      if (next !== COMMA) throw new JsonError();
      position += 1;
    }
  }

  #afterSpace(position: number): number {
    let at = position;
    while (isSpace(this.#bytes[at])) at += 1;
    return at;
  }

  #findEnd(): number {
    const bytes = this.#bytes;
    let depth = 0;
    for (let at = this.#start; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfText(bytes, at);
        if (depth === 0) return at + 1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) return at + 1;
        if (depth < 0) return at;
      } else if (depth === 0 && (byte === COMMA || byte === COLON || isSpace(byte))) {
        return at;
      }
    }
    if (depth === 0 && bytes.length > this.#start) return bytes.length;
    throw new JsonError();
  }
}

/** The offset of the quote that ends a string. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  throw new JsonError();
}
