import type { Dice } from './fast-path-json.ts';

/** Random series for columns of fewer rows. All values have the right types. */

export interface SeriesRow {
  readonly value_date?: string | null;
  readonly metrics: readonly { readonly name: string; readonly value?: number | null }[];
}

export const METRICS = ['m', 'n', 'o'];

const START = Date.UTC(2024, 0, 1);
const HOUR = 3_600_000;

type Times = (index: number, rows: number, dice: Dice) => number;

/** Milliseconds from the start, ascending where nothing else is said. */
const times: readonly Times[] = [
  (index) => index * 24 * HOUR,
  // Hours beside days.
  (index, rows) => (index < rows / 3 ? index * 24 * HOUR : (rows / 3) * 24 * HOUR + index * HOUR),
  // Bursts.
  (index) => Math.floor(index / 20) * 720 * HOUR + (index % 20) * 1000,
  // Bursts of bursts.
  (index) => Math.floor(index / 30) * 9000 * HOUR + Math.floor((index % 30) / 6) * HOUR + (index % 6) * 17,
  (index) => Math.round(1.1 ** (index % 250)) * 60_000,
  // Unsorted.
  (_, rows, dice) => dice.below(rows * 20) * HOUR,
  (index, rows) => (rows - index) * HOUR,
  // Ties.
  (_, __, dice) => dice.below(4) * HOUR,
  (index) => Math.floor(index / 7) * HOUR,
  () => 0,
];

const odd = [null, undefined, '', 'd', '2023-02-29', '2024-01-01T24:00:00Z'];

/** The dates of rows of a series. */
function datesOf(rows: number, kind: Dice, dice: Dice): (string | null | undefined)[] {
  const timeAt = kind.of(times);
  const hasNanoseconds = kind.oneIn(4);
  const isOdd = kind.oneIn(8);
  return Array.from({ length: rows }, (_, index) => {
    if (isOdd && dice.oneIn(10)) return dice.of(odd);
    const text = new Date(START + timeAt(index, rows, dice)).toISOString();
    return hasNanoseconds ? text.replace('Z', `${String(dice.below(1_000_000)).padStart(6, '0')}Z`) : text;
  });
}

type Values = (index: number, dice: Dice) => number;

const values: readonly Values[] = [
  (_, dice) => dice.below(1000) / 8,
  (index, dice) => Math.sin(index / 9) * 100 + dice.below(9),
  (index) => index,
  (_, dice) => dice.below(3),
  () => 7,
  (_, dice) => (dice.oneIn(30) ? 1000 - dice.below(2000) : 0),
];

/** Whether there is no value, by rows. */
const missing: readonly ((rows: number, dice: Dice) => (index: number) => boolean)[] = [
  () => () => false,
  () => () => false,
  (_, dice) => () => dice.oneIn(10),
  (_, dice) => () => !dice.oneIn(5),
  (rows, dice) => {
    const gaps = Array.from({ length: 1 + dice.below(6) }, () => {
      const start = dice.below(rows + 1);
      return { start, end: start + dice.below(1 + Math.ceil(rows / 6)) };
    });
    return (index) => gaps.some(({ start, end }) => index >= start && index < end);
  },
  // At the ends.
  (rows, dice) => {
    const [first, last] = [dice.below(rows + 1), rows - dice.below(rows + 1)];
    return (index) => index < first || index >= last;
  },
  () => () => true,
];

/** @param kind chooses how dates and values look */
export function seriesOf(rows: number, kind: Dice, dice: Dice): SeriesRow[] {
  const metrics = METRICS.map((name) => ({ name, at: kind.of(values), isMissing: kind.of(missing)(rows, dice) }));
  return datesOf(rows, kind, dice).map((date, index) => ({
    ...(date !== undefined && { value_date: date }),
    metrics: metrics.flatMap(({ name, at, isMissing }): { name: string; value: number | null }[] => {
      if (!isMissing(index)) return [{ name, value: at(index, dice) }];
      return dice.oneIn(2) ? [] : [{ name, value: null }];
    }),
  }));
}
