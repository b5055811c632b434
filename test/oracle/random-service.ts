import fc from 'fast-check';
import { Dice, INTEGERS, NUMBERS, STRINGS } from '../support/json-text.ts';
import { ASSET_IDS } from '../support/results-selections.ts';
import { ODD_LISTS, type Oddity, type Odds, type RandomRow, rowsOf, string } from './random-rows.ts';
import type { Filter, Reply, Service } from './respond.ts';

/** Random datasets of a REST service. Their bodies are text that is put together cheaply; most of it is valid, if strangely written. */
const USUAL: Odds = { odd: 3, oddDates: 6, nearDates: Number.POSITIVE_INFINITY, sparse: 3 };

/** How datasets are drawn. */
export interface Drawing extends Partial<Odds> {
  /** How many bytes a body has at most, about: 2,000 unless given. */
  readonly bytes?: number;
  /** The number of rows of an entry, where `bytes` does not say it. */
  readonly rows?: fc.Arbitrary<number>;
  /** How many entries there are at most: 6 unless given. */
  readonly entries?: number;
  /** Of how many assets they are at most: all of `ASSET_IDS` unless given, but the last one. */
  readonly assets?: number;
}

/** What a dataset is made from. */
export interface DatasetSeed {
  readonly look: number;
  readonly odds: Odds;
  readonly entries: readonly EntrySeed[];
}

/** A dataset with hardly any results. */
export const SMALL: DatasetSeed = { look: 0, odds: USUAL, entries: [{ asset: 0, rows: 1, look: 0 }] };

interface EntrySeed {
  /** The index of its asset id. */
  readonly asset: number;
  readonly rows: number;
  readonly look: number;
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

const ODD_ENTRIES = 'null 5 {} [] {"asset_id":5} {"asset_id":null,"results":[]} {"results":[{"metrics":5}]}'.split(' ');
const ODD_BODIES = [
  ...'{} [] 5 null "x" {"assets":[} {"assets":[],} {"error":{"code":498}} {"a":1} {"assets":null}'.split(' '),
  ...['', '{"processing_id":"p"}', '\ufeff{"assets":[{"asset_id":"a"}]}', '{"assets":[]}x'],
];

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
const ODD_ATTRIBUTES = '5 "5" 1.5 true [] {} ["x",5] null 9223372036854775808 1e3 "\\ud800"'.split(' ');

/** What the entries of a dataset have in common. */
interface Common {
  readonly odds: Odds;
  readonly isOdd: Oddity;
  readonly versions: readonly string[];
  /** The dates of some of them: then rows have the same dates, in the same order. */
  readonly dates: number;
}

function entryOf({ asset, rows, look }: EntrySeed, { odds, isOdd, versions, dates }: Common): RandomEntry {
  const dice = new Dice(look);
  if (isOdd(dice) && dice.oneIn(4)) return { id: undefined, head: dice.of(ODD_ENTRIES), rows: undefined, tail: '' };
  const id = ASSET_IDS[asset] as string;
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
  if (dice.oneIn(12)) return { id, head: `${head},"results":null`, rows: undefined, tail };
  const dated = new Dice(dice.oneIn(2) ? dates : dice.below(2 ** 31));
  return { id, head, rows: rowsOf(rows, odds, dated, new Dice(dice.below(2 ** 31)), dice, isOdd), tail };
}

/** Responses with metadata: usual, with values of other types, of no metadata, and errors. */
export const METADATA: readonly Reply[] = [
  ...[
    '{"name":"N","asset_count":3,"sharedOption":"OWNED","processing_id":"p","start_date":1704067200000}',
    '{"name":"Größe","description":"","attributionText":null,"source_id":"s","source_name":"S","stop_date":-1}',
    '{"name":7,"asset_count":"3","sharedOption":"?","source_name":"s","start_date":1.5,"stop_date":1e99}',
    '{"start_date":9007199254740993,"stop_date":253402300799999,"asset_count":2147483648,"processing_id":5}',
    ...['{}', '[]', '{"error":"x"}'],
  ].map((body) => ({ status: 200, body })),
  ...[403, 404].map((status) => ({ status, body: '' })),
];

function datasetOf({ look, odds, entries }: DatasetSeed): RandomDataset {
  const dice = new Dice(look);
  const mayBeOdd = Number.isFinite(odds.odd);
  const oddity = dice.oneIn(odds.odd) ? 6 + dice.below(80) : 0;
  const isOdd: Oddity = (each) => oddity > 0 && each.oneIn(oddity);
  const ids = [`"processing_id":${dice.of(STRINGS)}`, `"source_id":${isOdd(dice) ? '5' : dice.of(STRINGS)}`];
  const before = dice.oneIn(3) ? ids.splice(dice.below(3)) : ids.splice(0);
  if (isOdd(dice))
    before.push(
      dice.of(['"assets":5', '"assets":[{"asset_id":"a"}]', '"more":[[{"assets":[]}]]', '"processing_id":null']),
    );
  // A version that few entries have, or one that all have.
  const versions = dice.of([['1'], ['1', '2', '3'], ['null', '1'], INTEGERS, ['7', '"7"']]);
  const common = { odds, isOdd, versions, dates: dice.below(2 ** 31) };
  const isBroken = mayBeOdd && dice.oneIn(40);
  return {
    metadata: mayBeOdd && dice.oneIn(3) ? dice.of(METADATA) : (METADATA[0] as Reply),
    status: mayBeOdd && dice.oneIn(40) ? dice.of([403, 404, 409, 405]) : 200,
    head: before.map((member) => `${member},`).join(''),
    tail: ids.map((member) => `,${member}`).join(''),
    entries: isOdd(dice) && dice.oneIn(5) ? undefined : entries.map((seed) => entryOf(seed, common)),
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

/** The body of all results of a random dataset. */
export const randomBody = (seed: DatasetSeed) => bodyOf(datasetOf(seed), {});

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

/** Random datasets. */
export function datasetSeeds({
  bytes = 2000,
  rows,
  entries = 6,
  assets = 4,
  ...odds
}: Drawing): fc.Arbitrary<DatasetSeed> {
  // A row has about 120 bytes, and a dataset some entries.
  const most = Math.max(14, Math.ceil(bytes / 120 / 4));
  const usualRows = fc.oneof({ weight: 3, arbitrary: fc.nat(14) }, { weight: 3, arbitrary: fc.noBias(fc.nat(most)) });
  const entry = fc.record({ asset: fc.nat(assets - 1), rows: rows ?? usualRows, look });
  return fc.record({
    look,
    odds: fc.constant({ ...USUAL, ...odds }),
    entries: fc.array(entry, { maxLength: entries, size: 'max' }),
  });
}
