import { Decline } from './decline.ts';
import type { Scanner } from './scanner.ts';

/** Where a value stands in the bytes: its first byte, or one of these. */
export const ABSENT = -1;
/** It has another type than specified. */
export const WRONG = -2;
/** It is a number that JSON.parse changes: infinite, or a negative zero. */
export const EXOTIC = -3;

/** The longest number that needs no closer look when it has no exponent. */
const PLAIN_LENGTH = 25;

const encoder = new TextEncoder();
const rowNames = ['value_date', 'metrics'].map((name) => encoder.encode(name));
/** A row and a metric as they mostly stand: compact, and in the order of the specification or of this project. */
const usual = {
  dateFirst: encoder.encode('{"value_date":"'),
  metricsNext: encoder.encode(',"metrics":['),
  nameFirst: encoder.encode('{"name":"'),
  valueNext: encoder.encode(',"value":'),
};
const metricNames = ['name', 'value'].map((name) => encoder.encode(name));

/**
 * One row of a time series (REST specification, sections 2.6 and 2.7), as places in the bytes. One object serves for
 * all rows: reading a row overwrites what the row before it has left.
 */
export class RowReader {
  /** The date with its quotes, from `dateStart` up to, but without, `dateEnd`; or ABSENT or WRONG. */
  dateStart = ABSENT;
  dateEnd = ABSENT;
  /** The number of metrics; or ABSENT or WRONG. */
  metricCount = ABSENT;
  /** Of each metric four places: name from, name to, value from, value to. */
  metrics = new Int32Array(64);
  /** Whether any metric's name has an escape in it. */
  escapedMetricName = false;
  /** The list of metrics with its brackets, where each of them is just a name and a value, without white space. */
  listStart = ABSENT;
  listEnd = ABSENT;

  /** Reads a row, which starts at the scanner's place with its brace. */
  read(scanner: Scanner): void {
    this.dateStart = ABSENT;
    this.metricCount = ABSENT;
    this.escapedMetricName = false;
    this.listStart = ABSENT;
    const start = scanner.at;
    if (scanner.take(usual.dateFirst)) {
      this.dateStart = scanner.at - 1;
      scanner.at = this.dateStart;
      scanner.string();
      this.dateEnd = scanner.at;
      if (scanner.take(usual.metricsNext)) {
        scanner.at -= 1;
        this.#readMetrics(scanner);
        if (scanner.bytes[scanner.at] === 0x7d) {
          scanner.at += 1;
          return;
        }
      }
      // Not the usual row: once more, name by name.
      this.dateStart = ABSENT;
      this.metricCount = ABSENT;
      this.escapedMetricName = false;
      this.listStart = ABSENT;
    }
    scanner.at = start + 1;
    if (scanner.isEmpty(0x7d)) return;
    let seen = 0;
    do {
      const name = scanner.name(rowNames);
      if (name >= 0) seen = once(seen, name);
      if (name === 0) this.#readDate(scanner);
      else if (name === 1) this.#readMetrics(scanner);
      else scanner.skipValue();
    } while (scanner.more(0x7d));
  }

  /**
   * Takes from the places noted of a row its date and its list of metrics as a whole; the single metrics stay unread.
   *
   * @returns whether that is enough: whether the row has a list that can be copied
   */
  recall(rows: RowPlaces, index: number): boolean {
    const { places } = rows;
    const place = index * PLACES;
    this.listStart = places[place + 3] as number;
    if (this.listStart === ABSENT) return false;
    this.listEnd = places[place + 4] as number;
    this.dateStart = places[place + 1] as number;
    this.dateEnd = places[place + 2] as number;
    this.metricCount = 0;
    return true;
  }

  /**
   * Reads only the metrics of a row of which the place of its list was noted.
   *
   * @returns whether there was such a place
   */
  readList(rows: RowPlaces, index: number, scanner: Scanner): boolean {
    const listStart = rows.places[index * PLACES + 3] as number;
    if (listStart === ABSENT) return false;
    this.metricCount = 0;
    this.escapedMetricName = false;
    scanner.at = listStart + 1;
    return this.#readUsualMetrics(scanner);
  }

  #readDate(scanner: Scanner): void {
    const byte = scanner.next();
    const start = scanner.at;
    if (byte === 0x22) {
      scanner.string();
      this.dateStart = start;
      this.dateEnd = scanner.at;
    } else if (byte === 0x6e) {
      scanner.null();
    } else {
      scanner.skipValue();
      this.dateStart = WRONG;
    }
  }

  #readMetrics(scanner: Scanner): void {
    const byte = scanner.next();
    if (byte === 0x6e) {
      scanner.null();
      return;
    }
    if (byte !== 0x5b) {
      scanner.skipValue();
      this.metricCount = WRONG;
      return;
    }
    this.metricCount = 0;
    const start = scanner.at;
    scanner.at += 1;
    if (this.#readUsualMetrics(scanner)) {
      this.listStart = start;
      this.listEnd = scanner.at;
      return;
    }
    this.metricCount = 0;
    this.escapedMetricName = false;
    scanner.at = start + 1;
    if (scanner.isEmpty(0x5d)) return;
    do {
      const entry = scanner.next();
      if (entry === 0x7b) this.#readMetric(scanner);
      else if (entry === 0x6e) scanner.null();
      else throw Decline.leftOut;
    } while (scanner.more(0x5d));
  }

  /** Reads metrics that are all of the usual form; whether they are. */
  #readUsualMetrics(scanner: Scanner): boolean {
    const { bytes } = scanner;
    for (;;) {
      if (!scanner.take(usual.nameFirst)) return false;
      const place = this.metricCount * 4;
      if (place + 4 > this.metrics.length) this.#grow();
      const { metrics } = this;
      scanner.at -= 1;
      metrics[place] = scanner.at;
      scanner.string();
      this.escapedMetricName ||= scanner.escaped;
      metrics[place + 1] = scanner.at;
      if (!scanner.take(usual.valueNext)) return false;
      const first = bytes[scanner.at] as number;
      if (first !== 0x2d && !(first >= 0x30 && first <= 0x39)) return false;
      const start = scanner.at;
      scanner.number();
      if (isExotic(scanner, start)) return false;
      metrics[place + 2] = start;
      metrics[place + 3] = scanner.at;
      this.metricCount += 1;
      if (bytes[scanner.at] !== 0x7d) return false;
      const next = bytes[scanner.at + 1];
      scanner.at += 2;
      if (next === 0x5d) return true;
      if (next !== 0x2c) return false;
    }
  }

  #readMetric(scanner: Scanner): void {
    const place = this.metricCount * 4;
    if (place + 4 > this.metrics.length) this.#grow();
    const { metrics } = this;
    metrics[place] = ABSENT;
    metrics[place + 2] = ABSENT;
    this.metricCount += 1;
    scanner.at += 1;
    if (scanner.isEmpty(0x7d)) return;
    let seen = 0;
    do {
      const name = scanner.name(metricNames);
      if (name < 0) {
        scanner.skipValue();
        continue;
      }
      seen = once(seen, name);
      const byte = scanner.next();
      const start = scanner.at;
      if (name === 0 && byte === 0x22) {
        scanner.string();
        this.escapedMetricName ||= scanner.escaped;
      } else if (name === 1 && (byte === 0x2d || (byte >= 0x30 && byte <= 0x39))) {
        scanner.number();
        if (isExotic(scanner, start)) {
          metrics[place + 2] = EXOTIC;
          continue;
        }
      } else if (byte === 0x6e) {
        scanner.null();
        continue;
      } else {
        scanner.skipValue();
        metrics[place + name * 2] = WRONG;
        continue;
      }
      metrics[place + name * 2] = start;
      metrics[place + name * 2 + 1] = scanner.at;
    } while (scanner.more(0x7d));
  }

  #grow(): void {
    const larger = new Int32Array(this.metrics.length * 2);
    larger.set(this.metrics);
    this.metrics = larger;
  }
}

/**
 * The one reader. A row is read and used in one stretch, without a pause between, so that all who read rows can share
 * it; a reader for each would be memory for each.
 */
export const rowReader = new RowReader();

/** The places noted of a row: itself, its date from and to, its list of metrics from and to. */
const PLACES = 5;

/** Where the rows of an answer stand, so that they can be found again without reading what is between them. */
export class RowPlaces {
  places: Int32Array;
  /** The number of rows. */
  count = 0;

  /** @param likely about how many rows there will be */
  constructor(likely: number) {
    this.places = new Int32Array(PLACES * Math.max(8, Math.ceil(likely)));
  }

  /** Notes the row that the reader has just read. */
  add(start: number, row: RowReader): void {
    const place = this.count * PLACES;
    if (place === this.places.length) {
      const larger = new Int32Array(this.places.length * 2);
      larger.set(this.places);
      this.places = larger;
    }
    const { places } = this;
    places[place] = start;
    places[place + 1] = row.dateStart;
    places[place + 2] = row.dateEnd;
    places[place + 3] = row.listStart;
    places[place + 4] = row.listEnd;
    this.count += 1;
  }

  /** Where a row's date starts; or ABSENT or WRONG. */
  dateStartOf(index: number): number {
    return this.places[index * PLACES + 1] as number;
  }

  dateEndOf(index: number): number {
    return this.places[index * PLACES + 2] as number;
  }

  /** Where a row starts. */
  startOf(index: number): number {
    return this.places[index * PLACES] as number;
  }
}

/** Whether the number that the scanner has read from `start` on comes out of JSON.parse as another one. */
function isExotic(scanner: Scanner, start: number): boolean {
  const { bytes, at, exponent } = scanner;
  const negativeZero = bytes[start] === 0x2d && bytes[start + 1] === 0x30;
  if (!exponent && !negativeZero && at - start <= PLAIN_LENGTH) return false;
  const value = Number(Buffer.from(bytes.subarray(start, at)).toString('latin1'));
  return !Number.isFinite(value) || Object.is(value, -0);
}

/** Notes a known name of an object; of a repeated one the last would count, which is left to the plain way. */
export function once(seen: number, name: number): number {
  const bit = 1 << name;
  if ((seen & bit) !== 0) throw Decline.repeatedName;
  return seen | bit;
}
