import { Input } from './input.ts';
import { BodyError, needsBytes, Scanner } from './scanner.ts';
import { Turn } from './turn.ts';

/** What is longer than this is read again only when twice as much is there. */
const SHORT_VALUE_BYTES = 1 << 16;

/**
 * Reads the members of an object that are known, as JSON: of each the last one. Those that are objects or lists are empty lists, because no
 * known member is one. All others are skipped as they come, whatever their size. `push` its bytes, `work` while it returns true. A text
 * that is known is read in one step, of a millisecond for each megabyte: who reads a body of a stranger sets a limit to it.
 */
export class Members {
  /** The values by their names. */
  readonly values: Map<string, string> = new Map();
  /** The number of all members. */
  count = 0;
  readonly #names: readonly string[];
  readonly #bytes: readonly Buffer[];
  readonly #input = new Input();
  readonly #scanner = new Scanner();
  readonly #turn = new Turn();
  #place: 'start' | 'member' | 'skipped' | 'end' = 'start';
  #at = 0;
  #needed = 0;
  #isTried = true;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#bytes = names.map((name) => Buffer.from(name));
  }

  /** Gives it a chunk to read, which belongs to the caller again. @throws BodyError */
  push(chunk: Buffer): void {
    this.#input.append(chunk, this.#at);
    this.#at = 0;
    this.#scanner.read(this.#input, this.#input.length);
    this.#isTried = this.#input.length < this.#needed;
  }

  /** Works for about a millisecond. Returns whether more is left to do. @throws BodyError */
  work(): boolean {
    if (this.#isTried) return false;
    this.#turn.begin();
    try {
      let from: number;
      do {
        from = this.#at;
        this.#scanner.at = from;
        this.#next();
      } while (!this.#turn.isOver(this.#at - from));
      return true;
    } catch (error) {
      if (error !== needsBytes) throw error;
      this.#wait();
      return false;
    }
  }

  /** No more bytes come. @throws BodyError if the object is not complete */
  end(): void {
    if (this.#needed > 0) this.#isTried = false;
    while (this.work());
    this.#input.check(this.#input.length);
    if (this.#place !== 'end') throw new BodyError('incomplete');
  }

  #next(): void {
    const scanner = this.#scanner;
    if (this.#place === 'end') {
      scanner.next();
      scanner.fail(scanner.at);
    }
    if (this.#place === 'skipped') {
      scanner.skipOn();
      this.#goOn('member');
      return;
    }
    if (this.#place === 'start') {
      scanner.byteOrderMark();
      scanner.expect(0x7b);
      this.#goOn('member');
      return;
    }
    const byte = scanner.next();
    if (byte === 0x7d) {
      scanner.at += 1;
      this.#goOn('end');
      return;
    }
    if (this.count > 0) scanner.expect(0x2c);
    const name = this.#names[scanner.name(this.#bytes)];
    this.#value(name);
  }

  #value(name: string | undefined): void {
    const scanner = this.#scanner;
    const start = scanner.at;
    const first = scanner.bytes[start];
    const isNested = first === 0x7b || first === 0x5b;
    if (name === undefined || isNested) {
      if (name !== undefined) this.values.set(name, '[]');
      scanner.beginSkip();
      this.#goOn('skipped');
    } else {
      scanner.skip();
      this.values.set(name, scanner.bytes.toString('utf8', start, scanner.at));
      this.#goOn('member');
    }
    this.count += 1;
  }

  #goOn(place: 'member' | 'skipped' | 'end'): void {
    this.#at = this.#scanner.at;
    this.#place = place;
  }

  /** The bytes have ended. */
  #wait(): void {
    // A character that is cut stays until it is checked.
    if (this.#place === 'skipped') this.#at = Math.min(this.#scanner.at, this.#input.checked);
    const rest = this.#input.length - this.#at;
    this.#needed = rest > SHORT_VALUE_BYTES ? 2 * rest : 0;
    this.#isTried = true;
  }
}
