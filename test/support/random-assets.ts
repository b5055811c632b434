import { VALUES } from './body-damage.ts';
import {
  DATES,
  Dice,
  INTEGERS,
  type Json,
  list,
  NUMBERS,
  object,
  perhaps,
  STRINGS,
  stringOf,
  text,
} from './json-text.ts';
import { METRIC_NAMES } from './results-selections.ts';

/** Chooses the name of the metric at a place in its row. */
export type Namer = (place: number, dice: Dice) => Json;

export const namers: readonly Namer[] = [
  (place, dice) => text(JSON.stringify(METRIC_NAMES[dice.oneIn(12) ? dice.below(3) : place])),
  (_place, dice) => stringOf(dice.of(METRIC_NAMES), dice),
  (_place, dice) => text(`"k${dice.below(40)}"`),
  // A new one each time, so that hardly any two rows look alike.
  (_place, dice) => text(`"u${dice.below(2 ** 31)}"`),
];

/** A date as JSON: mostly a day after that of the row before. */
function dateAt(index: number, dice: Dice): string {
  if (dice.oneIn(6)) return dice.of(STRINGS);
  return dice.oneIn(6) ? dice.of(DATES) : `"2024-01-0${index + 1}"`;
}

/** A row; what decides on its values can be another than what decides on the rest. */
export function rowOf(index: number, metricCount: number, nameAt: Namer, dice: Dice, values = dice): Json {
  const unknown = () => (dice.oneIn(20) ? text(values.of(VALUES)) : undefined);
  const metrics = Array.from({ length: metricCount }, (_, place) =>
    object(
      { name: perhaps(nameAt(place, dice), dice), value: perhaps(text(values.of(NUMBERS)), dice), more: unknown() },
      dice,
    ),
  );
  return object(
    {
      value_date: perhaps(text(dateAt(index, values)), dice),
      metrics: perhaps(list(metrics), dice),
      more: unknown(),
    },
    dice,
  );
}

/** Rows as a service writes them: all alike, but for their values. */
export function rowsAlike(count: number, metricCount: number, nameAt: Namer, dice: Dice): Json[] {
  const look = dice.below(2 ** 31);
  return Array.from({ length: count }, (_, index) => rowOf(index, metricCount, nameAt, new Dice(look), dice));
}

/** What an asset is made from. */
export interface AssetSeed {
  readonly id: string;
  /** The number of metrics of each row. */
  readonly rows: readonly number[];
  readonly look: number;
}

export function assetOf({ id, rows, look }: AssetSeed): Json {
  const dice = new Dice(look);
  const string = () => perhaps(text(dice.of(STRINGS)), dice);
  const number = () => perhaps(text(dice.of(NUMBERS)), dice);
  const integer = () => perhaps(text(dice.of(INTEGERS)), dice);
  const nameAt = namers[dice.oneIn(8) ? 1 : 0] as Namer;
  const [metricCount = 1] = rows;
  const series = dice.oneIn(2)
    ? rowsAlike(rows.length, metricCount, nameAt, dice)
    : rows.map((metrics, index) => rowOf(index, metrics, nameAt, dice));
  const all = {
    asset_id: stringOf(id, dice),
    asset_name: string(),
    asset_version: integer(),
    asset_categories: perhaps(list([text(dice.of(STRINGS)), text(dice.oneIn(4) ? 'null' : '"y"')]), dice),
    asset_centroid_latitude: number(),
    asset_centroid_longitude: number(),
    asset_surface_area_m2: number(),
    parent_asset_id: string(),
    parent_asset_name: string(),
    parent_asset_version: integer(),
    results: perhaps(list(series), dice),
  };
  return object(dice.oneIn(2) ? { asset_id: all.asset_id, results: all.results } : all, dice);
}
