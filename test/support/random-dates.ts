import type { Dice } from './fast-path-json.ts';

/** Points in time as texts of all forms that are read, and texts that are none. They know nothing of how dates are read. */

const MS = 1_000_000n;
const SECOND = 1000n * MS;
const MINUTE = 60n * SECOND;
const DAY = 1440n * MINUTE;

const nanosecondsAt = (date: string) => BigInt(Date.parse(date)) * MS;
/** The first and the last point in time of the years that dates have. */
const [FIRST, LAST] = [nanosecondsAt('0000-01-01T00:00:00Z'), nanosecondsAt('9999-12-31T23:59:59.999Z') + MS - 1n];

/** Edges: of years, of leap days, of 1970, and of what 64 bits hold in nanoseconds. */
const edges = [
  ...['0000-01-01', '0000-03-01', '1600-02-29', '1677-09-21', '1900-03-01', '1969-12-31T23:59:59.999', '1970-01-01'],
  ...['2000-02-29', '2016-12-31T23:59:59.999', '2024-02-29', '2024-03-01', '2262-04-11', '9999-12-31'],
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
export const inputText = (instant: bigint, dice: Dice) => textOf(instant, true, dice);

/** A text of a point in time, as services send it. Digits below a nanosecond are cut off. */
export const rowText = (instant: bigint, dice: Dice) => textOf(instant, false, dice);

function textOf(instant: bigint, isInput: boolean, dice: Dice): string {
  let shift = dice.of(offsets);
  let local = instant + BigInt(shift) * MINUTE;
  if (local < FIRST || local > LAST) [shift, local] = [0, instant];
  const isLeap = local % MINUTE === 0n && local - MINUTE >= FIRST && dice.oneIn(4);
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
    const more = dice.oneIn(4) ? `${digits.padEnd(9, '0')}${dice.of(['0', '9', '999999999999'])}` : digits;
    if (more !== '') seconds += `${isInput ? '.' : dice.of(['.', '.', ','])}${more}`;
  }
  return `${year}${hyphen}${month}${hyphen}${day}${separator}${minutes}${seconds}${offsetText(shift, isInput, dice)}`;
}

/** Texts that are no dates of rows. */
export const unreadable = [
  ...['', ' ', 'x', '202', '202403', '02024', '2024-1', '2024-1-01', '2024-13', '2024-00', '2024-02-30', '2023-02-29'],
  ...['1900-02-29', '2024-04-31', '20240431', '2024-01-00', '2024-01-32', '2024-W01', '2024-W01-1', '2024-060'],
  ...['-2024-01-01', '+2024-01-01', '12024-01-01', '2024-01-01 ', ' 2024-01-01', '2024/01/01', '2024-01-01T'],
  ...['2024-01-01T12', '2024-01-01T24:00', '2024-01-01T24:00:00Z', '2024-01-01T12:60', '2024-01-01T12:00:61Z'],
  ...['2024-01-01T1200', '20240101T12:00', '2024-01-01T12:00:0', '2024-01-01T12:00.5Z', '2024-01-01T12:00:00.Z'],
  ...['2024-01-01T12:00:00;5Z', '2024-01-01_12:00', '2024-01-01T12:00+24:00', '2024-01-01T12:00+00:60'],
  ...['2024-01-01T12:00+1', '2024-01-01T12:00+01:', '2024-01-01T12:00+010', '2024-01-01T12:00ZZ', '2024-01-01Z'],
  ...['2024-01-01T12:00[UTC]', '2024-01-01T12:00Z[]', '2024-01-01T12:00Z[UTC', '2024-01-01T12:00Z[UTC]Z', '2024Z'],
  ...['2024-03T12:00', '٢٠٢٤-01-01', '2024\u201301\u201301', '1704067200000', 'NaN', 'null'],
];

/** Texts that are no dates in input, of which some are dates of rows. Digits alone are milliseconds. */
export const refusedInput = [
  ...unreadable.filter((text) => !/^\d+$/.test(text)),
  ...[
    '2024-01-01T12:00',
    '2024-01-01T12:00:00',
    '2024-01-01 12:00Z',
    '2024-01-01T12:00:00,5Z',
    '2024-01-01T12:00Z[UTC]',
  ],
  ...['2024-01-01T12:00+0100', '20240101T1200Z', '20240101T120000Z'],
];
