import { Bailout } from '../bailout.ts';
import { isNumeric, kindOfNumber, NumberKind } from './number.ts';
import { negativeZeros, SlotKind, type TemplateParts } from './row-template.ts';
import type { Scanner } from './scanner.ts';

const encoder = new TextEncoder();
/** The known members of a row. */
export const rowNames = ['value_date', 'metrics'].map((name) => encoder.encode(name));
const metricNames = ['name', 'value'].map((name) => encoder.encode(name));

/**
 * Reads one row of a time series (REST specification, sections 2.6 and 2.7) name by name, whatever it looks like, and
 * finds the parts of its template. One object serves for all rows: reading one overwrites what the one before has left.
 */
export class RowReader implements TemplateParts {
  readonly kinds: SlotKind[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  start = 0;
  end = 0;
  date: number | undefined;
  metrics: { name: string; value: number | undefined }[] | null = null;
  /** Whether metrics have to be left out. */
  omitted = false;
  /** Why the fast path cannot tell what is in the row, if it cannot. */
  bailout: Bailout | undefined;
  /** The same of the metric that was read last. */
  #metricBailout: Bailout | undefined;

  /** Reads a row, which starts at the scanner's place with its brace. Of a repeated member the last one counts. */
  read(scanner: Scanner): void {
    this.kinds.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
    this.date = undefined;
    this.metrics = null;
    this.omitted = false;
    this.start = scanner.at;
    let dateBailout: Bailout | undefined;
    let metricsBailout: Bailout | undefined;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const name = scanner.name(rowNames);
        if (name === 0) dateBailout = this.#readDate(scanner);
        else if (name === 1) metricsBailout = this.#readMetrics(scanner);
        else this.#skip(scanner);
      } while (scanner.more(0x7d));
    }
    this.end = scanner.at;
    this.bailout = dateBailout ?? metricsBailout;
  }

  #readDate(scanner: Scanner): Bailout | undefined {
    const byte = scanner.next();
    const isText = byte === 0x22 || byte === 0x6e;
    const slot = this.#skip(scanner, isText ? SlotKind.text : SlotKind.other);
    this.date = isText ? slot : undefined;
    return isText ? undefined : Bailout.wrongType;
  }

  #readMetrics(scanner: Scanner): Bailout | undefined {
    const byte = scanner.next();
    this.metrics = null;
    this.omitted = false;
    if (byte === 0x6e) {
      scanner.null();
      return undefined;
    }
    if (byte !== 0x5b) {
      this.#skip(scanner);
      return Bailout.wrongType;
    }
    this.metrics = [];
    let bailout: Bailout | undefined;
    scanner.at += 1;
    if (scanner.isEmpty(0x5d)) return undefined;
    do {
      const entry = scanner.next();
      if (entry === 0x7b) {
        this.metrics.push(this.#readMetric(scanner));
        bailout ??= this.#metricBailout;
      } else if (entry === 0x6e) scanner.null();
      else {
        this.#skip(scanner, SlotKind.leftOut);
        this.omitted = true;
      }
    } while (scanner.more(0x5d));
    return bailout;
  }

  #readMetric(scanner: Scanner): { name: string; value: number | undefined } {
    let name = 'null';
    let value: number | undefined;
    let nameBailout: Bailout | undefined;
    let valueBailout: Bailout | undefined;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const field = scanner.name(metricNames);
        const byte = scanner.next();
        const start = scanner.at;
        if (field < 0) this.#skip(scanner);
        else if (field === 0) {
          const isText = byte === 0x22 || byte === 0x6e;
          nameBailout = isText ? undefined : Bailout.wrongType;
          if (isText) scanner.skipValue();
          else this.#skip(scanner);
          name = isText ? scanner.bytes.toString('utf8', start, scanner.at) : 'null';
        } else {
          valueBailout = skipNumber(scanner, byte);
          const slot = this.#slot(valueBailout === undefined ? SlotKind.number : SlotKind.other, start, scanner.at);
          value = valueBailout === undefined ? slot : undefined;
        }
      } while (scanner.more(0x7d));
    }
    this.#metricBailout = nameBailout ?? valueBailout;
    return { name, value };
  }

  /** Goes over a value, and notes it as a slot. */
  #skip(scanner: Scanner, kind: SlotKind = SlotKind.other): number {
    scanner.next();
    const start = scanner.at;
    scanner.skipValue();
    return this.#slot(kind, start, scanner.at);
  }

  #slot(kind: SlotKind, start: number, end: number): number {
    this.starts.push(start);
    this.ends.push(end);
    return this.kinds.push(kind) - 1;
  }
}

/** Goes over a value that starts with this byte; why it is neither a finite number nor null, if it is not. */
function skipNumber(scanner: Scanner, byte: number): Bailout | undefined {
  const start = scanner.at;
  scanner.skipValue();
  if (byte === 0x6e) return undefined;
  if (!isNumeric(byte)) return Bailout.wrongType;
  const kind = kindOfNumber(scanner.bytes, start, scanner.at);
  if (kind === NumberKind.negativeZero) negativeZeros.push(start);
  return kind === NumberKind.infinite ? Bailout.lossyNumber : undefined;
}
