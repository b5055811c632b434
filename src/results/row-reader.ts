import { Decline } from './decline.ts';
import { isNumeric, kindOfNumber, NumberKind } from './number.ts';
import { HoleKind, negativeZeros, type ShapeParts } from './row-shape.ts';
import type { Scanner } from './scanner.ts';

const encoder = new TextEncoder();
/** The known members of a row. */
export const rowNames = ['value_date', 'metrics'].map((name) => encoder.encode(name));
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
  /** Whether metrics have to be left out. */
  dropped = false;
  /** Why the fast way cannot tell what is in the row, if it cannot. */
  declined: Decline | undefined;
  /** The same of the metric that was read last. */
  #metricDeclined: Decline | undefined;

  /** Reads a row, which starts at the scanner's place with its brace. Of a repeated member the last one counts. */
  read(scanner: Scanner): void {
    this.kinds.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
    this.date = undefined;
    this.metrics = null;
    this.dropped = false;
    this.start = scanner.at;
    let dateDeclined: Decline | undefined;
    let metricsDeclined: Decline | undefined;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const name = scanner.name(rowNames);
        if (name === 0) dateDeclined = this.#readDate(scanner);
        else if (name === 1) metricsDeclined = this.#readMetrics(scanner);
        else this.#skip(scanner);
      } while (scanner.more(0x7d));
    }
    this.end = scanner.at;
    this.declined = dateDeclined ?? metricsDeclined;
  }

  #readDate(scanner: Scanner): Decline | undefined {
    const byte = scanner.next();
    const isText = byte === 0x22 || byte === 0x6e;
    const hole = this.#skip(scanner, isText ? HoleKind.text : HoleKind.other);
    this.date = isText ? hole : undefined;
    return isText ? undefined : Decline.wrongType;
  }

  #readMetrics(scanner: Scanner): Decline | undefined {
    const byte = scanner.next();
    this.metrics = null;
    this.dropped = false;
    if (byte === 0x6e) {
      scanner.null();
      return undefined;
    }
    if (byte !== 0x5b) {
      this.#skip(scanner);
      return Decline.wrongType;
    }
    this.metrics = [];
    let declined: Decline | undefined;
    scanner.at += 1;
    if (scanner.isEmpty(0x5d)) return undefined;
    do {
      const entry = scanner.next();
      if (entry === 0x7b) {
        this.metrics.push(this.#readMetric(scanner));
        declined ??= this.#metricDeclined;
      } else if (entry === 0x6e) scanner.null();
      else {
        this.#skip(scanner, HoleKind.leftOut);
        this.dropped = true;
      }
    } while (scanner.more(0x5d));
    return declined;
  }

  #readMetric(scanner: Scanner): { name: string; value: number | undefined } {
    let name = 'null';
    let value: number | undefined;
    let nameDeclined: Decline | undefined;
    let valueDeclined: Decline | undefined;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const field = scanner.name(metricNames);
        const byte = scanner.next();
        const start = scanner.at;
        if (field < 0) this.#skip(scanner);
        else if (field === 0) {
          const isText = byte === 0x22 || byte === 0x6e;
          nameDeclined = isText ? undefined : Decline.wrongType;
          if (isText) scanner.skipValue();
          else this.#skip(scanner);
          name = isText ? scanner.bytes.toString('utf8', start, scanner.at) : 'null';
        } else {
          valueDeclined = skipNumber(scanner, byte);
          const hole = this.#hole(valueDeclined === undefined ? HoleKind.number : HoleKind.other, start, scanner.at);
          value = valueDeclined === undefined ? hole : undefined;
        }
      } while (scanner.more(0x7d));
    }
    this.#metricDeclined = nameDeclined ?? valueDeclined;
    return { name, value };
  }

  /** Goes over a value, and notes it as a hole. */
  #skip(scanner: Scanner, kind: HoleKind = HoleKind.other): number {
    scanner.next();
    const start = scanner.at;
    scanner.skipValue();
    return this.#hole(kind, start, scanner.at);
  }

  #hole(kind: HoleKind, start: number, end: number): number {
    this.starts.push(start);
    this.ends.push(end);
    return this.kinds.push(kind) - 1;
  }
}

/** Goes over a value that starts with this byte; why it is neither a finite number nor null, if it is not. */
function skipNumber(scanner: Scanner, byte: number): Decline | undefined {
  const start = scanner.at;
  scanner.skipValue();
  if (byte === 0x6e) return undefined;
  if (!isNumeric(byte)) return Decline.wrongType;
  const kind = kindOfNumber(scanner.bytes, start, scanner.at);
  if (kind === NumberKind.negativeZero) negativeZeros.push(start);
  return kind === NumberKind.infinite ? Decline.exoticNumber : undefined;
}
