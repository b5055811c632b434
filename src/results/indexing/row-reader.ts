import type { Scanner } from '../../scanner/scanner.ts';
import { Bailout } from '../bailout.ts';
import { isNonFiniteString, isNumeric, kindOfNumber, NumberKind } from './number.ts';
import { SlotKind, type TemplateParts } from './row-template.ts';

const encoder = new TextEncoder();
/** The members of a row, and of a metric. */
export const rowNames = ['value_date', 'metrics'].map((name) => encoder.encode(name));
const metricNames = ['name', 'value'].map((name) => encoder.encode(name));

/**
 * Reads any row of a time series (REST specification, sections 2.6 and 2.7) name by name, and finds the parts of its
 * template. One object is reused for all rows: `read` overwrites the parts of the row before.
 */
export class RowReader implements TemplateParts {
  readonly kinds: SlotKind[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  start = 0;
  end = 0;
  date: number | undefined;
  metrics: { name: string; value: number | undefined }[] | null = null;
  /** Whether metrics are omitted. */
  omitted = false;
  /** Whether any of its numbers is the text of a non-finite one. */
  hasTexts = false;
  /** Why the row cannot be copied. Undefined if it can. */
  bailout: Bailout | undefined;
  /** The same for the last metric. */
  #metricBailout: Bailout | undefined;
  readonly #negativeZeros: number[];

  /** @param negativeZeros gets the first byte of each negative zero that is read */
  constructor(negativeZeros: number[]) {
    this.#negativeZeros = negativeZeros;
  }

  /** Reads the row at the scanner, from its brace on. If a member is repeated, the last one wins. */
  read(scanner: Scanner): void {
    this.kinds.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
    this.date = undefined;
    this.metrics = null;
    this.omitted = false;
    this.hasTexts = false;
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
    const isStringOrNull = byte === 0x22 || byte === 0x6e;
    const slot = this.#skip(scanner, isStringOrNull ? SlotKind.string : SlotKind.other);
    this.date = isStringOrNull ? slot : undefined;
    return isStringOrNull ? undefined : Bailout.wrongType;
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
        this.#skip(scanner, SlotKind.omitted);
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
          const isStringOrNull = byte === 0x22 || byte === 0x6e;
          nameBailout = isStringOrNull ? undefined : Bailout.wrongType;
          if (isStringOrNull) scanner.skipValue();
          else this.#skip(scanner);
          name = isStringOrNull ? scanner.bytes.toString('utf8', start, scanner.at) : 'null';
        } else {
          valueBailout = this.#skipNumber(scanner, byte);
          const slot = this.#slot(valueBailout === undefined ? SlotKind.number : SlotKind.other, start, scanner.at);
          value = valueBailout === undefined ? slot : undefined;
        }
      } while (scanner.more(0x7d));
    }
    this.#metricBailout = nameBailout ?? valueBailout;
    return { name, value };
  }

  /** Skips a value that starts with this byte. Returns a bailout unless it is a number, the text of a non-finite one, or null. */
  #skipNumber(scanner: Scanner, byte: number): Bailout | undefined {
    const start = scanner.at;
    scanner.skipValue();
    if (byte === 0x6e) return undefined;
    if (byte === 0x22 && isNonFiniteString(scanner.bytes, start, scanner.at)) {
      this.hasTexts = true;
      return undefined;
    }
    if (!isNumeric(byte)) return Bailout.wrongType;
    const kind = kindOfNumber(scanner.bytes, start, scanner.at);
    if (kind === NumberKind.negativeZero) this.#negativeZeros.push(start);
    return kind === NumberKind.infinite ? Bailout.lossyNumber : undefined;
  }

  /** Skips a value, and adds it as a slot. */
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
