import fc from 'fast-check';
import { Dice, escaped, NUMBERS } from './json-text.ts';

/** Random results responses in which values are texts of non-finite numbers, and the same with null in their place. */

/** A metric of a row. `isText`: its value is such a text. */
interface TextMetric {
  readonly name: string | null;
  readonly isText: boolean;
}

export interface TextRow {
  readonly date: string;
  readonly metrics: readonly TextMetric[];
}

export interface TextBody {
  /** Each asset by its rows. */
  readonly assets: readonly (readonly TextRow[])[];
  /** The body with the texts, and with null in place of each. */
  readonly texts: string;
  readonly nulls: string;
}

/** In any case, but nothing else: no sign before NaN, no plus, no space. */
const TEXTS = ['NaN', 'nan', 'NAN', 'nAn', 'Infinity', 'infinity', 'INFINITY', '-Infinity', '-infinity', '-inFinitY'];

const METRICS = ['m', 'n', 'ä', '__proto__'];
const DAY_MS = 86_400_000;

/** How many of a hundred values of an asset are texts. */
const SHARES = [0, 1, 40, 100];

function assetOf(
  index: number,
  rowCount: number,
  dice: Dice,
): { rows: TextRow[]; json: [texts: string, nulls: string] } {
  const share = dice.of(SHARES);
  const names = METRICS.slice(0, 1 + dice.below(METRICS.length));
  // Of one text alone the place is anywhere.
  const only = dice.oneIn(3) ? dice.below(Math.max(1, rowCount * names.length)) : -1;
  const [order, first] = [dice.of([1, -1]), dice.below(20_000) * DAY_MS];
  const isOdd = dice.oneIn(3);
  let value = -1;
  const rows: TextRow[] = [];
  const texts: string[] = [];
  const nulls: string[] = [];
  for (let at = 0; at < rowCount; at += 1) {
    const date = new Date(first + order * at * DAY_MS).toISOString().slice(0, 10);
    const given: (string | null)[] = names.filter(() => !(isOdd && dice.oneIn(9)));
    if (isOdd && dice.oneIn(6)) given.push(dice.of([...names, null]));
    const metrics: TextMetric[] = [];
    const [withTexts, withNulls]: [string[], string[]] = [[], []];
    for (const name of given) {
      value += 1;
      const isText = only >= 0 ? value === only : dice.below(100) < share;
      metrics.push({ name, isText });
      const found = dice.of(TEXTS);
      const number = dice.oneIn(9)
        ? 'null'
        : dice.oneIn(4)
          ? dice.of(NUMBERS)
          : `${dice.below(900) - 300}.${dice.below(99)}`;
      const json = isText ? (dice.oneIn(8) ? escaped(found) : JSON.stringify(found)) : number;
      const members = (shown: string) => {
        const all = [`"name":${JSON.stringify(name)}`, `"value":${shown}`];
        return `{${(isOdd && at % 5 === 0 ? all.reverse() : all).join()}}`;
      };
      withTexts.push(members(json));
      withNulls.push(members(isText ? 'null' : json));
    }
    rows.push({ date, metrics });
    texts.push(`{"value_date":"${date}","metrics":[${withTexts.join()}]}`);
    nulls.push(`{"value_date":"${date}","metrics":[${withNulls.join()}]}`);
  }
  const json = (all: string[]) => `{"asset_id":"a${index}","results":[${all.join()}]}`;
  return { rows, json: [json(texts), json(nulls)] };
}

/** @param maxRows the most rows of an asset, of which there are at most four */
export function bodiesWithTexts(maxRows: number): fc.Arbitrary<TextBody> {
  const sizes = fc.array(fc.nat(maxRows), { minLength: 1, maxLength: 4 });
  return fc.tuple(sizes, fc.integer({ min: 1 })).map(([rowCounts, seed]) => {
    const dice = new Dice(seed);
    const made = rowCounts.map((count, index) => assetOf(index, count, dice));
    const bodyOf = (form: 0 | 1) => `{"assets":[${made.map(({ json }) => json[form]).join()}]}`;
    return { assets: made.map(({ rows }) => rows), texts: bodyOf(0), nulls: bodyOf(1) };
  });
}

/** The first metric of a name in a row. */
export function metricIn({ metrics }: TextRow, name: string): TextMetric | undefined {
  return metrics.find((metric) => metric.name === name);
}
