import type { Bytes } from './bytes.ts';
import type { ErrorKind } from './errors.ts';
import { numberEnd } from './number.ts';
import { PADDING, type Scanner } from './scanner.ts';
import { NUMBER, OTHER, type RowParts, TEXT } from './template.ts';

/** A value that is null because of its type, or a row that is too large. */
export interface RowError {
  readonly part: 'row' | 'valueDate' | 'metrics' | 'name' | 'value';
  readonly kind: ErrorKind;
  /** The index of its metric; -1 for the others. */
  readonly metric: number;
}

const rowNames = ['value_date', 'metrics'].map((name) => Buffer.from(name));
const metricNames = ['name', 'value'].map((name) => Buffer.from(name));

interface Metric {
  /** JSON. */
  name: string;
  slot: number;
  nameIsWrong: boolean;
  isNegativeZero: boolean;
  /** Why its value is null. */
  valueError: ErrorKind | undefined;
}

/** Reads a row name by name. It is made for any row, and needed for few. */
export class RowParser implements RowParts {
  readonly kinds: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  start = 0;
  end = 0;
  date = -1;
  metrics: Metric[] | null = null;
  /** Whether it needs the canonical form: it has values of wrong types, negative zeros, or entries or members that do not count. */
  isOdd = false;
  /** The number of entries of the list that are no metrics. */
  omitted = 0;
  errors: RowError[] = [];

  /** Reads the row at the scanner. If a member is repeated, the last one counts. */
  parse(scanner: Scanner): void {
    this.kinds.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
    this.metrics = null;
    this.date = -1;
    this.isOdd = false;
    this.omitted = 0;
    let dateIsWrong = false;
    let metricsAreWrong = false;
    this.start = scanner.at;
    const seen = [false, false];
    eachMember(scanner, rowNames, (name) => {
      if (name >= 0 && seen[name]) this.isOdd = true;
      if (name >= 0) seen[name] = true;
      const byte = scanner.next();
      if (name === 0) {
        dateIsWrong = byte !== 0x22 && byte !== 0x6e;
        this.date = this.#slot(scanner, dateIsWrong ? OTHER : TEXT);
      } else if (name === 1 && byte === 0x5b) {
        metricsAreWrong = false;
        this.#readMetrics(scanner);
      } else if (name === 1) {
        metricsAreWrong = byte !== 0x6e;
        this.metrics = null;
        this.omitted = 0;
        // A null stays a literal, so that the template knows of it.
        if (metricsAreWrong) this.#slot(scanner, OTHER);
        else scanner.skip();
      } else this.#slot(scanner, OTHER);
    });
    this.end = scanner.at;
    this.errors = [];
    if (dateIsWrong) this.#addError('valueDate');
    if (metricsAreWrong) this.#addError('metrics');
    for (const [metric, { nameIsWrong, valueError }] of (this.metrics ?? []).entries()) {
      if (nameIsWrong) this.#addError('name', metric);
      if (valueError !== undefined) this.#addError('value', metric, valueError);
    }
    if (this.errors.length > 0 || this.omitted > 0) this.isOdd = true;
  }

  /** Writes the row as it would be if nothing about it were odd, and the padding of a scanner. */
  writeCanonical(into: Bytes, scanner: Scanner): void {
    const textOf = (slot: number, kind: number) => (this.kinds[slot] === kind ? this.#text(scanner, slot) : 'null');
    const valueTextOf = ({ slot, isNegativeZero }: Metric) => (isNegativeZero ? '0' : textOf(slot, NUMBER));
    const metrics = this.metrics?.map((metric) => `{"name":${metric.name},"value":${valueTextOf(metric)}}`);
    into.text(
      `{"value_date":${textOf(this.date, TEXT)},"metrics":${metrics === undefined ? 'null' : `[${metrics.join()}]`}`,
    );
    into.text(`}${'\0'.repeat(PADDING)}`);
  }

  #readMetrics(scanner: Scanner): void {
    this.metrics = [];
    this.omitted = 0;
    scanner.at += 1;
    if (scanner.next() === 0x5d) {
      scanner.at += 1;
      return;
    }
    do {
      const byte = scanner.next();
      if (byte === 0x7b) this.metrics.push(this.#readMetric(scanner));
      else {
        if (byte !== 0x6e) this.omitted += 1;
        scanner.skip();
      }
    } while (isFollowed(scanner, 0x5d));
  }

  #readMetric(scanner: Scanner): Metric {
    const metric: Metric = { name: 'null', slot: -1, nameIsWrong: false, isNegativeZero: false, valueError: undefined };
    let seen = 0;
    eachMember(scanner, metricNames, (name) => {
      if (name >= 0) {
        if ((seen & (1 << name)) !== 0) this.isOdd = true;
        seen |= 1 << name;
      }
      const byte = scanner.next();
      const start = scanner.at;
      if (name === 0) {
        scanner.skip();
        metric.nameIsWrong = byte !== 0x22 && byte !== 0x6e;
        metric.name = metric.nameIsWrong ? 'null' : scanner.bytes.toString('utf8', start, scanner.at);
      } else if (name === 1) {
        const isPlain = numberEnd(scanner.bytes, scanner.view, start) >= 0;
        metric.slot = this.#slot(scanner, isPlain ? NUMBER : OTHER);
        metric.isNegativeZero = !isPlain && byte === 0x2d && Number(this.#text(scanner, metric.slot)) === 0;
        metric.valueError = isPlain || metric.isNegativeZero ? undefined : errorOf(this.#text(scanner, metric.slot));
        if (!isPlain) this.isOdd = true;
      } else this.#slot(scanner, OTHER);
    });
    return metric;
  }

  #addError(part: RowError['part'], metric = -1, kind: ErrorKind = 'wrongType'): void {
    this.errors.push({ part, kind, metric });
  }

  #slot(scanner: Scanner, kind: number): number {
    this.starts.push(scanner.at);
    scanner.skip();
    this.ends.push(scanner.at);
    return this.kinds.push(kind) - 1;
  }

  #text({ bytes }: Scanner, slot: number): string {
    return bytes.toString('utf8', this.starts[slot], this.ends[slot]);
  }
}

/** Why a value that is no number is null: many libraries write numbers that JSON does not have as texts. */
function errorOf(json: string): ErrorKind {
  return json.startsWith('"') && /^(?:nan|-?infinity)$/i.test(JSON.parse(json)) ? 'nonFinite' : 'wrongType';
}

/** Reads the object at the scanner. `read` gets the index of the name of each member, and reads its value. */
function eachMember(scanner: Scanner, names: readonly Buffer[], read: (name: number) => void): void {
  scanner.at += 1;
  if (scanner.next() === 0x7d) {
    scanner.at += 1;
    return;
  }
  do read(scanner.name(names));
  while (isFollowed(scanner, 0x7d));
}

/** Skips a comma, or the end of the list or object. Returns whether it was a comma. */
function isFollowed(scanner: Scanner, close: number): boolean {
  const byte = scanner.next();
  if (byte !== 0x2c && byte !== close) scanner.fail(scanner.at);
  scanner.at += 1;
  return byte === 0x2c;
}
