import { LongValue } from './long-value.ts';
import { notJson, type Scanner, TRUNCATED } from './scanner.ts';
import { MORE, PAUSE, type Steps, type Yielder } from './steps.ts';

/** How many bytes of a long value are read between two checks of the clock. */
const PART_BYTES = 1 << 17;

/** Reads JSON of any length step by step: with the scanner if it ends within the window, else with long-value.ts. */
export class YieldingReader {
  readonly scanner: Scanner;
  readonly #yielder: Yielder;

  constructor(scanner: Scanner, yielder: Yielder) {
    this.scanner = scanner;
    this.#yielder = yielder;
  }

  /** Counts bytes that were read. Returns whether it is time to pause. */
  worked(bytes: number): boolean {
    return this.#yielder.worked(bytes);
  }

  /** Moves the window if little of it is left, and waits until enough bytes have arrived. */
  *widen(): Steps<void> {
    while (this.scanner.widen()) yield MORE;
  }

  /** Skips white space. Returns the next byte, or -1 at the end. */
  *next(): Steps<number> {
    const { scanner } = this;
    for (;;) {
      const start = scanner.at;
      const byte = scanner.next();
      if (byte !== -1 || scanner.isAtEnd) return byte;
      if (scanner.widen()) yield* this.widen();
      if (this.worked(scanner.at - start)) yield PAUSE;
    }
  }

  /** Skips any value. @param isUsed whether its strings may be decoded later */
  *skip(isUsed = true): Steps<void> {
    yield* this.next();
    const { scanner } = this;
    const start = scanner.at;
    if (!scanner.trySkip()) yield* this.#skipLong(isUsed);
    if (this.worked(scanner.at - start)) yield PAUSE;
  }

  /** Skips the name of a member and its colon. Returns which of the names it is, or OTHER. */
  *name(known: readonly Uint8Array[]): Steps<number> {
    const { scanner } = this;
    if (scanner.widen()) yield* this.widen();
    const from = scanner.at;
    const name = scanner.tryName(known);
    if (this.worked(scanner.at - from)) yield PAUSE;
    if (name !== TRUNCATED) return name;
    if ((yield* this.next()) !== 0x22) throw notJson;
    const start = scanner.at;
    yield* this.skip();
    const end = scanner.at;
    if ((yield* this.next()) !== 0x3a) throw notJson;
    scanner.at += 1;
    yield* this.next();
    return scanner.indexOfEscaped(start, end, known);
  }

  /** Skips a comma or `close`. Returns whether another entry or member follows. */
  *more(close: number): Steps<boolean> {
    yield* this.next();
    return this.scanner.more(close);
  }

  /** Skips the first byte of a container, and its `close` if it is empty. Returns whether it is empty. */
  *isEmpty(close: number): Steps<boolean> {
    this.scanner.at += 1;
    yield* this.next();
    return this.scanner.isEmpty(close);
  }

  *#skipLong(isUsed: boolean): Steps<void> {
    const { scanner } = this;
    const value = new LongValue(scanner.at, isUsed);
    do {
      if (this.worked(PART_BYTES)) yield PAUSE;
      while (!scanner.has(PART_BYTES, value.at)) yield MORE;
    } while (!value.read(scanner.whole, PART_BYTES));
    scanner.at = value.at;
    if (scanner.widen()) yield* this.widen();
  }
}
