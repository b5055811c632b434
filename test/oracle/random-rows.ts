import { type Dice, escaped, NUMBERS } from '../support/json-text.ts';
import { METRIC_NAMES } from '../support/results-selections.ts';
import { dateStyles, NO_DATES, nearDates, UNREADABLE } from './random-dates.ts';

/** Random rows of a series. */

/** How often datasets and series are of a kind: one in so many, or never at `Infinity`. */
export interface Odds {
  /** Datasets with values of wrong types, and worse. */
  readonly odd: number;
  /** Series in which dates are missing, or cannot be read. */
  readonly oddDates: number;
  /** Series whose dates are near each other, in all forms, beside those that are so anyway. */
  readonly nearDates: number;
  /** Series in which values, names and lists of metrics are missing, and metrics are repeated. */
  readonly sparse: number;
}

export interface RandomRow {
  readonly text: string;
  /** Its date in milliseconds, if the service knows it. */
  readonly millis: number | undefined;
}

/** The value of a metric as JSON, by the number of its row. */
type ValueStyle = (dice: Dice, index: number) => string;

const valueStyles: readonly ValueStyle[] = [
  (dice) => String(dice.below(7) - 3),
  (dice) => `${dice.below(2000) - 1000}.${dice.below(100_000)}`,
  (dice) => `1000000000.${dice.below(1000)}`,
  (dice) => String(dice.below(2 ** 32) * 2 ** 20 + dice.below(2 ** 20)),
  (dice) => `${dice.oneIn(2) ? '-' : ''}${dice.below(1000) / 7}e${dice.below(40) - 20}`,
  (dice) => dice.of(NUMBERS),
  (dice) => dice.of(['1e308', '-1e308', '1.7976931348623157e308', '5e-324', '-1e-400', '1e-310', '1e150', '1', '0']),
  (dice, index) => String(Math.sin(index / 9) * 100 + dice.below(9)),
  (_, index) => String(index),
  () => '7',
  (dice) => (dice.oneIn(30) ? String(1000 - dice.below(2000)) : '0'),
];

/** Whether a metric has no value, by the number of the row. */
type Missing = (index: number) => boolean;

const missingStyles: readonly ((rows: number, style: Dice, dice: Dice) => Missing)[] = [
  () => () => false,
  (_, __, dice) => () => dice.oneIn(9),
  (_, __, dice) => () => !dice.oneIn(5),
  // Gaps.
  (rows, style) => {
    const gaps = Array.from({ length: 1 + style.below(6) }, () => {
      const start = style.below(rows + 1);
      return { start, end: start + style.below(1 + Math.ceil(rows / 6)) };
    });
    return (index) => gaps.some(({ start, end }) => index >= start && index < end);
  },
  // At the ends.
  (rows, style) => {
    const [first, last] = [style.below(rows + 1), rows - style.below(rows + 1)];
    return (index) => index < first || index >= last;
  },
  () => () => true,
];

const ODD_VALUES = ['"NaN"', '"nan"', '"Infinity"', '"-INFINITY"', '"+Infinity"', '" NaN"', '"1"', 'true', '[]', '{}'];
const ODD_NUMBERS = ['1e999', '-1e999', '9'.repeat(400), 'null', 'null', 'null'];
const ODD_METRICS = ['null', '5', '[]', '{"value":1}', '{"name":null,"value":1}', '{"name":5}', '{}'];
const ODD_ROWS = ['null', '5', '"x"', '[]', '{}', '{"metrics":[]}', '{"value_date":"2024-01-01","metrics":5}'];
const ODD_MEMBERS = [
  ...['"more":[{}]', '"metrics":[]', '"value_date":null', '"value_date":5', '"value_date":{}'],
  '"__proto__":{"metrics":5}',
];
/** Values that are no list of objects. */
export const ODD_LISTS = ['null', '5', '{}', '"x"', '[]'];

/** A text as JSON. */
export const string = (text: string, dice: Dice) => (dice.oneIn(16) ? escaped(text) : JSON.stringify(text));
/** The name of a member. */
const named = (name: string, dice: Dice) => `${dice.oneIn(60) ? escaped(name) : `"${name}"`}:`;

/** How often something is odd: never in most bodies, so that computed fields have values. */
export type Oddity = (dice: Dice) => boolean;

/**
 * @param dated chooses their dates
 * @param style how all else of the series looks
 * @param dice all else of each row
 */
export function rowsOf(count: number, odds: Odds, dated: Dice, style: Dice, dice: Dice, isOdd: Oddity): RandomRow[] {
  const dateAt = (dated.oneIn(odds.nearDates) ? nearDates : dated.of(dateStyles))(dated, count);
  const [noDates, noDate] = [
    dated.oneIn(odds.oddDates) ? dated.of([40, 9, 9, 1]) : Number.POSITIVE_INFINITY,
    dated.oneIn(2) ? [...NO_DATES, ...UNREADABLE] : NO_DATES,
  ];
  const isSparse = style.oneIn(odds.sparse);
  const metrics = style
    .shuffled(METRIC_NAMES)
    .slice(0, 1 + style.below(4))
    .map((name) => {
      const isMissing = isSparse ? style.of(missingStyles)(count, style, dice) : () => false;
      return { name, value: style.of(valueStyles), isMissing };
    });
  const space = style.of(['', '', '', ' ', '\n\t']);
  const metricText = (name: string, value: string | undefined) => {
    if (isOdd(dice)) return dice.of(ODD_METRICS);
    const given = isOdd(dice) ? dice.of(dice.oneIn(2) ? ODD_VALUES : ODD_NUMBERS) : value;
    const shown = dice.oneIn(40) ? dice.of(NUMBERS) : given;
    const member = shown === undefined ? '' : `,${space}${named('value', dice)}${space}${shown}`;
    const text = isSparse && dice.oneIn(60) ? 'null' : string(name, dice);
    return `{${named('name', dice)}${space}${text}${member}${space}}`;
  };
  const metricsAt = (index: number) => {
    const texts = metrics.flatMap(({ name, value, isMissing }) => {
      if (!isMissing(index)) return [metricText(name, value(dice, index))];
      return dice.oneIn(2) ? [] : [metricText(name, dice.of([undefined, 'null']))];
    });
    if (isSparse && dice.oneIn(9)) texts.push(metricText(dice.of(METRIC_NAMES), String(index)));
    return isSparse && dice.oneIn(30) ? dice.of(['null', '[]', undefined]) : `[${texts.join()}]`;
  };
  return Array.from({ length: count }, (_, index) => {
    const hasDate = !dated.oneIn(noDates);
    const found = dateAt(index, dated);
    const { text, millis } = hasDate ? found : { text: dated.of(noDate), millis: undefined };
    if (isOdd(dice) && dice.oneIn(3)) return { text: dice.of(ODD_ROWS), millis: undefined };
    const list = isOdd(dice) && dice.oneIn(3) ? dice.of(ODD_LISTS) : metricsAt(index);
    const members = [
      ...(text === undefined ? [] : [named('value_date', dice) + text]),
      ...(list === undefined ? [] : [named('metrics', dice) + list]),
    ];
    if (isOdd(dice)) members.push(dice.of(ODD_MEMBERS));
    return { text: `{${(isSparse && dice.oneIn(7) ? members.reverse() : members).join(`,${space}`)}}`, millis };
  });
}
