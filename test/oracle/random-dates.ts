import { Dice, escaped } from '../support/json-text.ts';

/**
 * Random points in time as texts of all forms that are read, texts that are none, and the dates of random rows. They know nothing of
 * how dates are read.
 */

const MS = 1_000_000n;
const SECOND = 1000n * MS;
const MINUTE = 60n * SECOND;
const DAY = 1440n * MINUTE;

const nanosecondsAt = (date: string) => BigInt(Date.parse(date)) * MS;
/** The first and the last point in time of the years that dates have. */
const [FIRST, LAST] = [nanosecondsAt('0000-01-01T00:00:00Z'), nanosecondsAt('9999-12-31T23:59:59.999Z') + MS - 1n];

/** Edges: of years, quarters, leap days, of 1970, and of what 64 bits hold in nanoseconds. */
const edges = [
  ...['0000-01-01', '0000-03-01', '1600-02-29', '1677-09-21', '1900-03-01', '1969-12-31T23:59:59.999', '1970-01-01'],
  ...['2000-02-29', '2016-12-31T23:59:59.999', '2021-01-01', '2023-07-01', '2024-02-29', '2024-03-01', '2024-04-01'],
  ...['2262-04-11', '9999-12-31'],
].map((date) => nanosecondsAt(date.includes('T') ? `${date}Z` : date));

/** How far dates are apart: some within a microsecond, some within a millisecond. */
const steps = [0n, 1n, 2n, 999n, 1000n, MS / 10n, MS - 1n, MS, SECOND - 1n, SECOND, MINUTE, DAY - 1n, DAY, 31n * DAY];

/** A point in time to begin with, in nanoseconds since 1970. */
export function randomInstant(dice: Dice): bigint {
  if (dice.oneIn(2)) return dice.of(edges);
  const day = FIRST / DAY + BigInt(dice.below(Number((LAST - FIRST) / DAY)));
  return day * DAY + BigInt(dice.below(86_400)) * SECOND + BigInt(dice.below(1_000_000_000));
}

/** One that is near to it. */
export function instantNear(instant: bigint, dice: Dice): bigint {
  const near = instant + (dice.oneIn(2) ? -1n : 1n) * dice.of(steps) * BigInt(1 + dice.below(3));
  return near < FIRST ? FIRST : near > LAST ? LAST : near;
}

/** Offsets in minutes, of which one is as good as any. */
const offsets = [0, 0, 0, 60, -60, 330, -570, 840, 1439, -1439];

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** A text of an offset. */
function offsetText(minutes: number, isInput: boolean, dice: Dice): string {
  const [hours, rest] = [pad(Math.floor(Math.abs(minutes) / 60)), pad(Math.abs(minutes) % 60)];
  const sign = minutes < 0 || (minutes === 0 && dice.oneIn(3)) ? '-' : '+';
  const forms = [`${sign}${hours}:${rest}`];
  if (rest === '00') forms.push(`${sign}${hours}`);
  if (!isInput) forms.push(`${sign}${hours}${rest}`);
  if (minutes === 0) forms.push('Z', 'z');
  const text = dice.of(forms);
  if (isInput) return text;
  if (minutes === 0 && dice.oneIn(4)) return '';
  return `${text}${dice.oneIn(5) ? dice.of(['[UTC]', '[Europe/Paris]', '[+01:00]', '[Etc/GMT-14]']) : ''}`;
}

/** A text of a point in time as input: RFC 3339 mostly. Digits below a nanosecond are cut off. */
export const inputText = (instant: bigint, dice: Dice) => textOf(instant, 'input', dice);

/**
 * A text of a point in time: as input, as services send it, or that without leap seconds and without digits that would be lost.
 */
function textOf(instant: bigint, kind: 'input' | 'row' | 'exact', dice: Dice): string {
  const isInput = kind === 'input';
  let shift = dice.of(offsets);
  let local = instant + BigInt(shift) * MINUTE;
  if (local < FIRST || local > LAST) [shift, local] = [0, instant];
  const isLeap = local % MINUTE === 0n && local - MINUTE >= FIRST && kind !== 'exact' && dice.oneIn(4);
  if (isLeap) local -= MINUTE;
  // Rounded down.
  const milliseconds = local / MS - (local % MS < 0n ? 1n : 0n);
  const date = new Date(Number(milliseconds));
  const [year, month, day] = [pad(date.getUTCFullYear(), 4), pad(date.getUTCMonth() + 1), pad(date.getUTCDate())];
  const ofDay = ((local % DAY) + DAY) % DAY;
  if (ofDay === 0n && shift === 0 && !isLeap && dice.oneIn(2)) {
    const forms = [`${year}-${month}-${day}`];
    if (!isInput) forms.push(`${year}${month}${day}`);
    if (day === '01') forms.push(`${year}-${month}`);
    if (!isInput && day === '01' && month === '01') forms.push(year);
    return dice.of(forms);
  }
  const isBasic = !isInput && dice.oneIn(4);
  const [hyphen, colon] = isBasic ? ['', ''] : ['-', ':'];
  const separator = dice.of(isInput ? ['T', 't'] : ['T', 'T', 't', ' ']);
  const minutes = `${pad(date.getUTCHours())}${colon}${pad(date.getUTCMinutes())}`;
  const nanoseconds = Number(ofDay % SECOND);
  let seconds = `${colon}${isLeap ? '60' : pad(date.getUTCSeconds())}`;
  if (!isLeap && ofDay % MINUTE === 0n && dice.oneIn(2)) seconds = '';
  else if (isLeap) seconds += dice.of(['', '.5', '.999999999']);
  else {
    const digits = pad(nanoseconds, 9).replace(/0+$/, '');
    // What is behind nine digits is cut off.
    const more = dice.oneIn(4)
      ? `${digits.padEnd(9, '0')}${dice.of(kind === 'exact' ? ['0', '000'] : ['0', '9', '999999999999'])}`
      : digits;
    if (more !== '') seconds += `${isInput ? '.' : dice.of(['.', '.', ','])}${more}`;
  }
  return `${year}${hyphen}${month}${hyphen}${day}${separator}${minutes}${seconds}${offsetText(shift, isInput, dice)}`;
}

/** Texts that are no dates of rows. */
const unreadable = [
  ...'x 202 202403 02024 2024-1 2024-1-01 2024-13 2024-00 2024-02-30 2023-02-29 1900-02-29 2024-04-31 20240431'.split(
    ' ',
  ),
  ...'2024-01-00 2024-01-32 2024-W01 2024-W01-1 2024-060 -2024-01-01 +2024-01-01 12024-01-01 2024/01/01 2024Z'.split(
    ' ',
  ),
  ...'2024-01-01T 2024-01-01T12 2024-01-01T24:00 2024-01-01T24:00:00Z 2024-01-01T12:60 2024-01-01T12:00:61Z'.split(' '),
  ...'2024-01-01T1200 20240101T12:00 2024-01-01T12:00:0 2024-01-01T12:00.5Z 2024-01-01T12:00:00.Z 2024-01-01Z'.split(
    ' ',
  ),
  ...'2024-01-01T12:00:00;5Z 2024-01-01_12:00 2024-01-01T12:00+24:00 2024-01-01T12:00+00:60 2024-1-1 null'.split(' '),
  ...'2024-01-01T12:00+1 2024-01-01T12:00+01: 2024-01-01T12:00+010 2024-01-01T12:00ZZ 2024-01-01T12:00[UTC]'.split(' '),
  ...'2024-01-01T12:00Z[] 2024-01-01T12:00Z[UTC 2024-01-01T12:00Z[UTC]Z Größe +002024-01-01 2024-03T12:00'.split(' '),
  ...['', ' ', '2024-01-01 ', ' 2024-01-01', '٢٠٢٤-01-01', '2024\u201301\u201301', '1704067200000', 'NaN'],
];

/** Texts that are no dates in input, of which some are dates of rows. Digits alone are milliseconds. */
export const refusedInput = [
  ...unreadable.filter((text) => !/^\d+$/.test(text)),
  ...'2024-01-01T12:00 2024-01-01T12:00:00 2024-01-01T12:00:00,5Z 2024-01-01T12:00Z[UTC]'.split(' '),
  ...'2024-01-01T12:00+0100 20240101T1200Z 20240101T120000Z'.split(' '),
  '2024-01-01 12:00Z',
];

/** The date of a row: its JSON, undefined if it is absent, and its milliseconds, if the service knows them. */
export interface Dated {
  readonly text: string | undefined;
  readonly millis: number | undefined;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const YEARS = [2024, 2023, 2000, 1900, 1970, 1969, 2021, 0, 9999];

const startOf = (year: number) => Date.parse(`${pad(year, 4)}-01-01T00:00:00Z`);
const jsonOf = (text: string, dice: Dice) => (dice.oneIn(12) ? escaped(text) : JSON.stringify(text));
const floor = (value: bigint, unit: bigint) => value - (((value % unit) + unit) % unit);

/** The dates of one series, row by row. */
type Dates = (index: number, dice: Dice) => Dated;

/** @param style chooses how the dates of a series of so many rows look */
type DateStyle = (style: Dice, rows: number) => Dates;

type MillisAt = (index: number, dice: Dice) => number;

/** Milliseconds in one form. */
const inForm =
  (millisAt: MillisAt, form: (iso: string, dice: Dice) => string): Dates =>
  (index, dice) => {
    const millis = millisAt(index, dice);
    return { text: jsonOf(form(new Date(millis).toISOString(), dice), dice), millis };
  };

const day = (iso: string) => iso.slice(0, 10);
const seconds = (iso: string) => `${iso.slice(0, 19)}Z`;
const nanoseconds = (iso: string, dice: Dice) => iso.replace('Z', `${pad(dice.below(1_000_000), 6)}Z`);

/** Times that are far from regular, in milliseconds from a start. */
const unevenTimes: readonly ((index: number, rows: number, dice: Dice) => number)[] = [
  // Hours beside days.
  (index, rows) => (index < rows / 3 ? index * DAY_MS : Math.ceil(rows / 3) * DAY_MS + index * HOUR_MS),
  // Bursts.
  (index) => Math.floor(index / 20) * 30 * DAY_MS + (index % 20) * 1000,
  // Bursts of bursts.
  (index) => Math.floor(index / 30) * 375 * DAY_MS + Math.floor((index % 30) / 6) * HOUR_MS + (index % 6) * 17,
  (index) => Math.round(1.1 ** (index % 250)) * 60_000,
  // Unsorted.
  (_, rows, dice) => dice.below(rows * 20) * HOUR_MS,
  (index, rows) => (rows - index) * HOUR_MS,
  // Ties.
  (_, __, dice) => dice.below(4) * HOUR_MS,
  (index) => Math.floor(index / 7) * HOUR_MS,
  () => 0,
];

const uneven: DateStyle = (style, rows) => {
  const timeAt = style.of(unevenTimes);
  const millisAt: MillisAt = (index, dice) => startOf(2024) + timeAt(index, rows, dice);
  return inForm(millisAt, style.oneIn(4) ? nanoseconds : (iso) => iso);
};

/** Points in time near each other, in all forms. Often one is that of a row before, in the same form or another one. */
export const nearDates: DateStyle = (style) => {
  const [begin, isUniform] = [randomInstant(style), style.oneIn(4)];
  // Of some lists of dates a file has a type.
  const unit = style.of([1n, 1n, 1000n, MS, DAY]);
  const before: { readonly instant: bigint; readonly text: string }[] = [];
  return (_, dice) => {
    const known = before[dice.below(before.length + 1)];
    const instant = known !== undefined && dice.oneIn(3) ? known.instant : floor(instantNear(begin, dice), unit);
    const text = textOf(instant, unit === 1n ? 'row' : 'exact', isUniform ? new Dice(1) : dice);
    const found = known !== undefined && dice.oneIn(6) ? known : { instant, text };
    before.push(found);
    return { text: jsonOf(found.text, dice), millis: Number(floor(found.instant, MS) / MS) };
  };
};

/** How the dates of a series look: ordered days mostly. */
export const dateStyles: readonly DateStyle[] = [
  () => inForm((index) => startOf(2024) + index * DAY_MS, day),
  () => inForm((index) => startOf(2023) + 300 * DAY_MS + index * HOUR_MS, seconds),
  () => inForm((_, dice) => startOf(2024) + (dice.below(60) - 30) * DAY_MS, day),
  () => inForm((index, dice) => startOf(dice.of(YEARS)) + index * DAY_MS, day),
  () =>
    inForm(
      (index) => startOf(2024) - index * 60_000,
      (iso) => iso,
    ),
  (style) => {
    const [start, days] = [startOf(style.of(YEARS.slice(0, -1))), style.of([365, 1100])];
    return inForm((_, dice) => start + dice.below(days) * DAY_MS, day);
  },
  uneven,
  uneven,
  nearDates,
  nearDates,
  nearDates,
];

/** No date. */
export const NO_DATES = ['null', undefined];
/** Texts that are no dates, as JSON. */
export const UNREADABLE = unreadable.map((text) => JSON.stringify(text));
