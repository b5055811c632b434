import fc from 'fast-check';
import { Dice, escaped, INTEGERS, NUMBERS, STRINGS } from '../support/fast-path-json.ts';
import { ASSET_IDS, METRIC_NAMES } from '../support/fast-path-selections.ts';
import { type Dated, dateStyles, NO_DATES } from './random-dates.ts';
import type { Filter, Reply, Service } from './respond.ts';

/** Random datasets of a REST service. Their bodies are text that is put together cheaply; most of it is valid, if strangely written. */

/** What a dataset is made from. */
export interface DatasetSeed {
  readonly look: number;
  readonly entries: readonly EntrySeed[];
}

/** A dataset with hardly any results. */
export const SMALL: DatasetSeed = { look: 0, entries: [{ asset: 0, rows: 1, look: 0 }] };

interface EntrySeed {
  /** The index of its asset id. */
  readonly asset: number;
  readonly rows: number;
  readonly look: number;
}

interface RandomRow {
  readonly text: string;
  /** Its date in milliseconds, if the service knows it. */
  readonly millis: number | undefined;
}

/** An entry of the list `assets`: an object with rows, or any other value. */
interface RandomEntry {
  readonly id: string | undefined;
  readonly head: string;
  readonly rows: readonly RandomRow[] | undefined;
  readonly tail: string;
}

interface RandomDataset {
  readonly metadata: Reply;
  readonly status: number;
  /** The members around the list of assets, and the list unless it is another value. */
  readonly head: string;
  readonly tail: string;
  readonly entries: readonly RandomEntry[] | undefined;
  /** Whether members may be repeated. */
  readonly isOdd: boolean;
  /** Anything instead of a body. */
  readonly odd: string | undefined;
}

const valueStyles: readonly ((dice: Dice) => string)[] = [
  (dice) => String(dice.below(7) - 3),
  (dice) => `${dice.below(2000) - 1000}.${dice.below(100_000)}`,
  (dice) => `1000000000.${dice.below(1000)}`,
  (dice) => String(dice.below(2 ** 32) * 2 ** 20 + dice.below(2 ** 20)),
  (dice) => `${dice.oneIn(2) ? '-' : ''}${dice.below(1000) / 7}e${dice.below(40) - 20}`,
  (dice) => dice.of(NUMBERS),
  (dice) => dice.of(['1e308', '-1e308', '1.7976931348623157e308', '5e-324', '-1e-400', '1e-310', '1e150', '1', '0']),
];

const ODD_VALUES = ['"NaN"', '"nan"', '"Infinity"', '"-INFINITY"', '"+Infinity"', '" NaN"', '"1"', 'true', '[]', '{}'];
const ODD_NUMBERS = ['1e999', '-1e999', '9'.repeat(400), 'null', 'null', 'null'];
const ODD_METRICS = ['null', '5', '[]', '{"value":1}', '{"name":null,"value":1}', '{"name":5}', '{}'];
const ODD_ROWS = ['null', '5', '"x"', '[]', '{}', '{"metrics":[]}', '{"value_date":"2024-01-01","metrics":5}'];
const ODD_ENTRIES = [
  'null',
  '5',
  '{}',
  '[]',
  '{"asset_id":5}',
  '{"asset_id":null,"results":[]}',
  '{"results":[{"metrics":5}]}',
];
const ODD_LISTS = ['null', '5', '{}', '"x"', '[]'];
const ODD_BODIES = [
  ...['{}', '[]', '5', 'null', '"x"', '', '{"assets":[}', '{"assets":[],}', '{"error":{"code":498}}', '{"a":1}'],
  ...['{"assets":null}', '{"processing_id":"p"}', '\ufeff{"assets":[{"asset_id":"a"}]}', '{"assets":[]}x'],
];

const string = (text: string, dice: Dice) => (dice.oneIn(16) ? escaped(text) : JSON.stringify(text));
/** The name of a member. */
const named = (name: string, dice: Dice) => `${dice.oneIn(60) ? escaped(name) : `"${name}"`}:`;

/** How often something is odd: never in most bodies, so that computed fields have values. */
type Oddity = (dice: Dice) => boolean;

function rowsOf(count: number, style: Dice, dice: Dice, isOdd: Oddity): RandomRow[] {
  const [value, date] = [style.of(valueStyles), style.of(dateStyles)];
  const names = style.shuffled(METRIC_NAMES).slice(0, 1 + style.below(4));
  const isSparse = style.oneIn(3);
  const space = style.of(['', '', '', ' ', '\n\t']);
  const isOddDate: Oddity = style.oneIn(6) ? (each) => each.oneIn(9) : () => false;
  const metricOf = (name: string) => {
    if (isOdd(dice)) return dice.of(ODD_METRICS);
    const given = isOdd(dice) ? dice.of(dice.oneIn(2) ? ODD_VALUES : ODD_NUMBERS) : value(dice);
    const shown = isSparse && dice.oneIn(8) ? 'null' : dice.oneIn(40) ? dice.of(NUMBERS) : given;
    const member = isSparse && dice.oneIn(12) ? '' : `,${space}${named('value', dice)}${space}${shown}`;
    return `{${named('name', dice)}${space}${string(name, dice)}${member}${space}}`;
  };
  return Array.from({ length: count }, (_, index) => {
    if (isOdd(dice) && dice.oneIn(3)) return { text: dice.of(ODD_ROWS), millis: undefined };
    const { text, millis }: Dated = isOddDate(dice) ? dice.of(NO_DATES) : date(index, dice);
    const own = isSparse ? names.filter(() => !dice.oneIn(5)) : names;
    const repeated = isSparse && dice.oneIn(9) ? [...own, dice.of(METRIC_NAMES)] : own;
    const metrics = isOdd(dice) && dice.oneIn(3) ? dice.of(ODD_LISTS) : `[${repeated.map(metricOf).join()}]`;
    const members = [
      ...(text === undefined ? [] : [named('value_date', dice) + text]),
      named('metrics', dice) + metrics,
    ];
    if (isOdd(dice))
      members.push(dice.of(['"more":[{}]', '"metrics":[]', '"value_date":null', '"__proto__":{"metrics":5}']));
    return { text: `{${(isSparse && dice.oneIn(7) ? members.reverse() : members).join(`,${space}`)}}`, millis };
  });
}

const attributes = {
  asset_name: STRINGS,
  asset_version: INTEGERS,
  asset_categories: ['["x","y"]', '[]', '["x",null]', '["Größe"]'],
  asset_centroid_latitude: NUMBERS,
  asset_centroid_longitude: NUMBERS,
  asset_surface_area_m2: NUMBERS,
  parent_asset_id: ['"a"', '"b"', '"nobody"', '""', '"farm"'],
  parent_asset_name: STRINGS,
  parent_asset_version: INTEGERS,
} as const;
const ODD_ATTRIBUTES = [
  '5',
  '"5"',
  '1.5',
  'true',
  '[]',
  '{}',
  '["x",5]',
  'null',
  '9223372036854775808',
  '1e3',
  '"\\ud800"',
];

function entryOf({ asset, rows, look }: EntrySeed, isOdd: Oddity, versions: readonly string[]): RandomEntry {
  const dice = new Dice(look);
  if (isOdd(dice) && dice.oneIn(4)) return { id: undefined, head: dice.of(ODD_ENTRIES), rows: undefined, tail: '' };
  const id = ASSET_IDS[asset % (ASSET_IDS.length - 1)] as string;
  const members = [`"asset_id":${string(id, dice)}`];
  for (const [name, values] of Object.entries(attributes)) {
    if (dice.oneIn(3)) continue;
    const usual = name === 'asset_version' ? versions : values;
    members.push(`"${name}":${isOdd(dice) ? dice.of(ODD_ATTRIBUTES) : dice.of(usual)}`);
  }
  const before = dice.oneIn(5) ? dice.shuffled(members) : members;
  const after = dice.oneIn(5) ? before.splice(1) : [];
  const tail = `${after.map((member) => `,${member}`).join('')}}`;
  const fate = isOdd(dice) ? dice.below(4) : 0;
  const head = `{${before.join()}`;
  if (fate === 1) return { id, head, rows: undefined, tail };
  if (fate === 2) return { id, head: `${head},"results":${dice.of(ODD_LISTS)}`, rows: undefined, tail };
  return { id, head, rows: rowsOf(rows, new Dice(dice.below(2 ** 31)), dice, isOdd), tail };
}

const METADATA: readonly Reply[] = [
  {
    status: 200,
    body: '{"name":"N","asset_count":3,"sharedOption":"OWNED","processing_id":"p","start_date":1704067200000}',
  },
  {
    status: 200,
    body: '{"name":"Größe","description":"","attributionText":null,"source_id":"s","source_name":"S","stop_date":-1}',
  },
  {
    status: 200,
    body: '{"name":7,"asset_count":"3","sharedOption":"?","source_name":"s","start_date":1.5,"stop_date":1e99}',
  },
  {
    status: 200,
    body: '{"start_date":9007199254740993,"stop_date":253402300799999,"asset_count":2147483648,"processing_id":5}',
  },
  { status: 200, body: '{}' },
  { status: 200, body: '[]' },
  { status: 200, body: '{"error":"x"}' },
  { status: 403, body: '' },
  { status: 404, body: '' },
];

function datasetOf({ look, entries }: DatasetSeed): RandomDataset {
  const dice = new Dice(look);
  const oddity = dice.oneIn(3) ? 6 + dice.below(80) : 0;
  const isOdd: Oddity = (each) => oddity > 0 && each.oneIn(oddity);
  const ids = [`"processing_id":${dice.of(STRINGS)}`, `"source_id":${isOdd(dice) ? '5' : dice.of(STRINGS)}`];
  const before = dice.oneIn(3) ? ids.splice(dice.below(3)) : ids.splice(0);
  if (isOdd(dice))
    before.push(
      dice.of(['"assets":5', '"assets":[{"asset_id":"a"}]', '"more":[[{"assets":[]}]]', '"processing_id":null']),
    );
  // A version that few entries have, or one that all have.
  const versions = dice.of([['1'], ['1', '2', '3'], ['null', '1'], INTEGERS, ['7', '"7"']]);
  const isBroken = dice.oneIn(40);
  return {
    metadata: dice.oneIn(3) ? dice.of(METADATA) : (METADATA[0] as Reply),
    status: dice.oneIn(40) ? dice.of([403, 404, 409, 405]) : 200,
    head: before.map((member) => `${member},`).join(''),
    tail: ids.map((member) => `,${member}`).join(''),
    entries: isOdd(dice) && dice.oneIn(5) ? undefined : entries.map((seed) => entryOf(seed, isOdd, versions)),
    isOdd: oddity > 0,
    odd: isBroken ? dice.of(ODD_BODIES) : undefined,
  };
}

function bodyOf({ head, entries, tail, odd }: RandomDataset, { assetIds, start, stop }: Filter): string {
  if (odd !== undefined) return odd;
  if (entries === undefined) return `{${head}"assets":5${tail}}`;
  const hasRange = start !== undefined || stop !== undefined;
  const isWithin = ({ millis }: RandomRow) =>
    millis !== undefined && (start === undefined || start <= millis) && (stop === undefined || millis <= stop);
  const asked =
    assetIds === undefined ? entries : entries.filter(({ id }) => id !== undefined && assetIds.includes(id));
  const texts = asked.map((entry) => {
    // An asset without a row in a range is listed: an asset has the same highest version in each of them.
    const rows = hasRange ? entry.rows?.filter(isWithin) : entry.rows;
    return `${entry.head}${rows === undefined ? '' : `,"results":[${rows.map(({ text }) => text).join()}]`}${entry.tail}`;
  });
  return `{${head}"assets":[${texts.join()}]${tail}}`;
}

/** A service of random datasets. */
export interface RandomService extends Service {
  /**
   * Why a response that passes to the client may break: an asset may have entries of which some have passed, which does not
   * happen again for some minutes, or a member of the body may be repeated behind them.
   */
  readonly mayBreak: 'never' | 'once' | 'always';
}

/** A service of random datasets, by their ids. Any other dataset is unknown. */
export function randomService(seeds: ReadonlyMap<string, DatasetSeed>): RandomService {
  const datasets = new Map(Array.from(seeds, ([id, seed]) => [id, datasetOf(seed)]));
  const notFound: Reply = { status: 404, body: '' };
  const all = [...datasets.values()];
  const repeats = ({ entries = [] }: RandomDataset) => new Set(entries.map(({ id }) => id)).size < entries.length;
  return {
    mayBreak: all.some(({ isOdd }) => isOdd) ? 'always' : all.some(repeats) ? 'once' : 'never',
    metadata: (id) => datasets.get(id)?.metadata ?? notFound,
    results: (id, filter) => {
      const dataset = datasets.get(id);
      if (dataset === undefined) return notFound;
      return dataset.status === 200
        ? { status: 200, body: bodyOf(dataset, filter) }
        : { status: dataset.status, body: '' };
    },
  };
}

const look = fc.nat(2 ** 31 - 1);

/** Datasets of about so many bytes at most. */
export function datasetSeeds(bytes: number): fc.Arbitrary<DatasetSeed> {
  // A row has about 120 bytes, and a dataset some entries.
  const most = Math.max(14, Math.ceil(bytes / 120 / 4));
  const rows = fc.oneof({ weight: 3, arbitrary: fc.nat(14) }, { weight: 3, arbitrary: fc.noBias(fc.nat(most)) });
  const entry = fc.record({ asset: fc.nat(7), rows, look });
  return fc.record({ look, entries: fc.array(entry, { maxLength: 6, size: 'max' }) });
}
