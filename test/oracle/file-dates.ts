import { dateOf } from './dates.ts';

/** The dates of a column of a file with types: days, timestamps in the coarsest unit that keeps each digit, or text. */

const NANOSECONDS_OF_DAY = 86_400_000_000_000n;
/** A longer date has no type. */
const MAX_BYTES = 128;

const units = [
  ['timestamp[ms]', 1_000_000n],
  ['timestamp[us]', 1000n],
  ['timestamp[ns]', 1n],
] as const;

interface FileDates {
  readonly type: string;
  cellOf(date: string | null): string | bigint | null;
}

export function fileDates(all: readonly (string | null)[], hasTypes: boolean): FileDates {
  const dates = all.filter((date) => date !== null);
  const asText: FileDates = { type: 'text', cellOf: (date) => date?.toWellFormed() ?? null };
  if (!hasTypes) return asText;
  const read = new Map(dates.map((date) => [date, dateOf(date)]));
  if (dates.some((date) => read.get(date)?.isExact !== true || Buffer.byteLength(date) > MAX_BYTES)) return asText;
  const of = (date: string) => read.get(date)?.instant as bigint;
  const typed = (type: string, unit: bigint): FileDates => ({
    type,
    cellOf: (date) => (date === null ? null : of(date) / unit),
  });
  if (dates.length > 0 && dates.every((date) => read.get(date)?.isDay)) return typed('date', NANOSECONDS_OF_DAY);
  const [type, unit] = units.find(([, size]) =>
    dates.every((date) => of(date) % size === 0n),
  ) as (typeof units)[number];
  const fits = unit > 1n || dates.every((date) => BigInt.asIntN(64, of(date)) === of(date));
  return fits ? typed(type, unit) : asText;
}
