import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { PAUSE, type Steps } from '../steps.ts';
import { LongValue } from './long-value.ts';
import { CUT, notJson, type Scanner } from './scanner.ts';

/** So much of a long value is read between two looks at the clock. */
const PART_BYTES = 1 << 17;

/** Reads JSON of any length step by step: with a scanner what ends within its window, and the slow way what does not. */
export class YieldingReader {
  readonly scanner: Scanner;
  readonly #yielder: EventLoopYielder;

  constructor(scanner: Scanner, yielder: EventLoopYielder) {
    this.scanner = scanner;
    this.#yielder = yielder;
  }

  /** Notes that so many bytes more were gone over; whether it is time to pause. */
  worked(bytes: number): boolean {
    return this.#yielder.worked(bytes);
  }

  /** Goes over white space; the byte there, or -1 at the end. */
  *next(): Steps<number> {
    const { scanner } = this;
    for (;;) {
      const start = scanner.at;
      const byte = scanner.next();
      if (byte !== -1 || scanner.isAtEnd) return byte;
      scanner.widen();
      if (this.worked(scanner.at - start)) yield PAUSE;
    }
  }

  /** Goes over any value. */
  *skip(): Steps<void> {
    yield* this.next();
    const { scanner } = this;
    const start = scanner.at;
    if (!scanner.trySkip()) yield* this.#skipLong();
    if (this.worked(scanner.at - start)) yield PAUSE;
  }

  /** Goes over a member's name, its colon, and on to its value; which of the names it is, or OTHER. */
  *name(known: readonly Uint8Array[]): Steps<number> {
    const { scanner } = this;
    scanner.widen();
    const name = scanner.tryName(known);
    if (name !== CUT) return name;
    if ((yield* this.next()) !== 0x22) throw notJson;
    const start = scanner.at;
    yield* this.skip();
    const end = scanner.at;
    if ((yield* this.next()) !== 0x3a) throw notJson;
    scanner.at += 1;
    yield* this.next();
    return scanner.indexOfEscaped(start, end, known);
  }

  /** Goes on to the next entry or member: over a comma, or over `close`; whether there is another one. */
  *more(close: number): Steps<boolean> {
    yield* this.next();
    return this.scanner.more(close);
  }

  /** Goes over the first byte of a container, and over its `close` where it is empty; whether it is. */
  *isEmpty(close: number): Steps<boolean> {
    this.scanner.at += 1;
    yield* this.next();
    return this.scanner.isEmpty(close);
  }

  *#skipLong(): Steps<void> {
    const { scanner } = this;
    const value = new LongValue(scanner.whole, scanner.at);
    while (!value.read(PART_BYTES)) if (this.worked(PART_BYTES)) yield PAUSE;
    scanner.at = value.at;
    scanner.widen();
  }
}
