import { instantOf } from './dates.ts';

/** The dates of a file with types: days, timestamps in the coarsest unit that keeps each digit, or text. */

const NANOSECONDS_OF_DAY = 86_400_000_000_000n;
/** A longer date has no type. */
const MAX_BYTES = 64;

const day = /^\d{4}(?:-\d\d(?:-\d\d)?|\d{4})?$/;
/** Digits beyond nanoseconds, unless they are 0, and leap seconds, would be lost. */
const isLossy = (text: string) =>
  /[.,]\d{9}0*[1-9]/.test(text) || /\d\d:?\d\d:?60(?:[.,]|Z|z|[+-]|$)/.test(text.slice(8));

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
  if (!hasTypes || dates.length === 0) return asText;
  const instants = new Map(dates.map((date) => [date, instantOf(date)]));
  const of = (date: string) => instants.get(date) as bigint;
  if (dates.some((date) => of(date) === undefined || isLossy(date) || Buffer.byteLength(date) > MAX_BYTES))
    return asText;
  const typed = (type: string, unit: bigint): FileDates => ({
    type,
    cellOf: (date) => (date === null ? null : of(date) / unit),
  });
  if (dates.every((date) => day.test(date))) return typed('date', NANOSECONDS_OF_DAY);
  const [type, unit] = units.find(([, size]) =>
    dates.every((date) => of(date) % size === 0n),
  ) as (typeof units)[number];
  const fits = unit > 1n || dates.every((date) => BigInt.asIntN(64, of(date)) === of(date));
  return fits ? typed(type, unit) : asText;
}
