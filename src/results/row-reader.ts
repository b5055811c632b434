import { Decline } from './decline.ts';
import { HoleKind, type ShapeParts } from './row-shape.ts';
import { isExotic, type Scanner } from './scanner.ts';

const encoder = new TextEncoder();
const rowNames = ['value_date', 'metrics'].map((name) => encoder.encode(name));
const metricNames = ['name', 'value'].map((name) => encoder.encode(name));

/**
 * Reads one row of a time series (REST specification, sections 2.6 and 2.7) name by name, whatever it looks like, and
 * finds the parts of its shape. One object serves for all rows: reading one overwrites what the one before has left.
 */
export class RowReader implements ShapeParts {
  readonly kinds: HoleKind[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  start = 0;
  end = 0;
  date: number | undefined;
  metrics: { name: string; value: number | undefined }[] | null = null;
  /** Why the fast way cannot tell what is in the row, if it cannot. */
  declined: Decline | undefined;

  /** Reads a row, which starts at the scanner's place with its brace. */
  read(scanner: Scanner): void {
    this.kinds.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
    this.date = undefined;
    this.metrics = null;
    this.declined = undefined;
    this.start = scanner.at;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      let seen = 0;
      do {
        const name = scanner.name(rowNames);
        if (name >= 0) seen = once(seen, name);
        if (name === 0) this.#readDate(scanner);
        else if (name === 1) this.#readMetrics(scanner);
        else this.#skip(scanner);
      } while (scanner.more(0x7d));
    }
    this.end = scanner.at;
  }

  #readDate(scanner: Scanner): void {
    const byte = scanner.next();
    const start = scanner.at;
    if (byte !== 0x22 && byte !== 0x6e) {
      this.#decline(scanner, Decline.wrongType);
      return;
    }
    scanner.skipValue();
    this.date = this.#hole(HoleKind.text, start, scanner.at);
  }

  #readMetrics(scanner: Scanner): void {
    const byte = scanner.next();
    if (byte !== 0x5b) {
      if (byte === 0x6e) scanner.null();
      else this.#decline(scanner, Decline.wrongType);
      return;
    }
    this.metrics = [];
    scanner.at += 1;
    if (scanner.isEmpty(0x5d)) return;
    do {
      const entry = scanner.next();
      if (entry === 0x7b) this.metrics.push(this.#readMetric(scanner));
      else if (entry === 0x6e) scanner.null();
      else throw Decline.leftOut;
    } while (scanner.more(0x5d));
  }

  #readMetric(scanner: Scanner): { name: string; value: number | undefined } {
    let name = 'null';
    let value: number | undefined;
    scanner.at += 1;
    if (scanner.isEmpty(0x7d)) return { name, value };
    let seen = 0;
    do {
      const field = scanner.name(metricNames);
      if (field < 0) {
        this.#skip(scanner);
        continue;
      }
      seen = once(seen, field);
      if (field === 0) name = this.#readName(scanner);
      else value = this.#readValue(scanner);
    } while (scanner.more(0x7d));
    return { name, value };
  }

  /** A name as JSON. */
  #readName(scanner: Scanner): string {
    const byte = scanner.next();
    const start = scanner.at;
    if (byte === 0x22) scanner.string();
    else if (byte === 0x6e) scanner.null();
    else this.#decline(scanner, Decline.wrongType);
    return scanner.bytes.toString('utf8', start, scanner.at);
  }

  #readValue(scanner: Scanner): number | undefined {
    const byte = scanner.next();
    const start = scanner.at;
    if (byte === 0x6e) {
      scanner.null();
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      scanner.number();
      if (isExotic(scanner.bytes, start, scanner.at)) this.declined = Decline.exoticNumber;
    } else {
      this.#decline(scanner, Decline.wrongType);
      return undefined;
    }
    return this.#hole(HoleKind.number, start, scanner.at);
  }

  #skip(scanner: Scanner): void {
    scanner.next();
    const start = scanner.at;
    scanner.skipValue();
    this.#hole(HoleKind.other, start, scanner.at);
  }

  #decline(scanner: Scanner, why: Decline): void {
    this.declined = why;
    scanner.skipValue();
  }

  #hole(kind: HoleKind, start: number, end: number): number {
    this.starts.push(start);
    this.ends.push(end);
    return this.kinds.push(kind) - 1;
  }
}

/** Notes a known name of an object; of a repeated one the last would count, which is left to the plain way. */
export function once(seen: number, name: number): number {
  const bit = 1 << name;
  if ((seen & bit) !== 0) throw Decline.repeatedName;
  return seen | bit;
}
