import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { WireField } from '../rest/contract/wire.ts';
import { runSteps } from '../scanner/steps.ts';
import type { CollectedNames } from './aggregates/distinct-names.ts';
import type { ArrivingAssets } from './arriving-assets.ts';
import { type AssetEntries, type AssetEntry, type AssetsById, type EntryRows, latestOfAsset } from './asset-entries.ts';
import type { AssetTable } from './indexing/asset-table.ts';
import { JoinedEntries } from './joined-entries.ts';
import { rowsOfAsset } from './joined-rows.ts';
import type { OddRowCounter } from './odd-rows.ts';
import type { ResultsResponse } from './results-response.ts';
import type {
  AggregateStep,
  BoundField,
  BoundObject,
  ConnectionStep,
  DatasetOfResults,
  Page,
  PageEntries,
  RowsStep,
  SeriesEntry,
  SeriesStep,
} from './selection.ts';
import { writeAggregateOfAll, writeNamesOfAll } from './writing/aggregate-writer.ts';
import type { Writing } from './writing/output-chunks.ts';
import { SeriesWriter } from './writing/series-writer.ts';

/** The parts of one filter's results. */
export interface ResultsFields {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Every entry, in the order received. An asset may have several entries, of different versions. */
  readonly assets: WireField<AssetEntries>;
  /** The first entry with the highest version of each asset. */
  readonly latest: AssetsById;
  /** The names of the metrics of all entries, if they were collected while these arrived. */
  readonly names: CollectedNames;
  /** The responses with omitted parts. */
  readonly incomplete: readonly ResultsResponse[];
  /** The entries of a response that passes to the client while it arrives. `assets` has those that came first. */
  readonly arriving: ArrivingAssets | undefined;
}

/** The results of one filter. */
export class Results implements ResultsFields {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  readonly assets: WireField<AssetEntries>;
  readonly latest: AssetsById;
  readonly names: CollectedNames;
  readonly incomplete: readonly ResultsResponse[];
  readonly arriving: ArrivingAssets | undefined;
  readonly #counter: OddRowCounter;
  /** The rows of assets that have several entries. Each field that needs them reads the same object. */
  readonly #rowsOfAssets = new Map<string, Promise<EntryRows>>();

  constructor(
    { processingId, sourceId, assets, latest, names, incomplete, arriving }: ResultsFields,
    counter: OddRowCounter,
  ) {
    this.processingId = processingId;
    this.sourceId = sourceId;
    this.assets = assets;
    this.latest = latest;
    this.names = names;
    this.incomplete = incomplete;
    this.arriving = arriving;
    this.#counter = counter;
  }

  /** The entries from `start` to `end` (exclusive). */
  page(dataset: DatasetOfResults, entries: AssetEntries, start: number, end: number): SeriesPage {
    return new SeriesPage({ dataset, entries, latest: this.latest, start, end }, this.#counter);
  }

  /** All entries of a response that passes. @throws Error if something else reads them */
  arrivingPage(dataset: DatasetOfResults, arriving: ArrivingAssets, uses: ArrivingUses): ArrivingPage {
    arriving.open();
    return new ArrivingPage(dataset, arriving, uses, this.#counter);
  }

  /** All entries of an asset with the highest version. Undefined if there is no such asset. */
  async series(dataset: DatasetOfResults, assetId: string): Promise<Series | undefined> {
    const { assets, latest } = this;
    const entry = latest.get(assetId);
    if (entry === undefined || assets === null || assets === undefined || assets instanceof Error) return undefined;
    // Usually each asset has one entry.
    const rows = latest.size === assets.length ? entry : await this.#rowsOfAsset(entry, assets);
    return new Series({ dataset, entry, latest: entry, rows }, this.#counter);
  }

  #rowsOfAsset(entry: AssetEntry, assets: AssetEntries): Promise<EntryRows> {
    const known = this.#rowsOfAssets.get(entry.assetId);
    if (known !== undefined) return known;
    const yielder = new EventLoopYielder();
    const rows = runSteps(rowsOfAsset(entry, assets, yielder), yielder);
    this.#rowsOfAssets.set(entry.assetId, rows);
    return rows;
  }

  /** Writes what is computed from all rows. @throws Error if something else reads them, and they are dropped */
  writeAggregate(field: BoundField<AggregateStep>): Writing {
    this.arriving?.open();
    return (output) => writeAggregateOfAll(output, this, field, this.#counter);
  }

  /** Writes the names of the metrics of all entries. @throws Error if the entries pass to another field */
  writeNames(): Writing {
    this.arriving?.open();
    return (output) => writeNamesOfAll(output, this, this.#counter);
  }
}

/** Some consecutive entries of results. */
export class SeriesPage implements Page {
  readonly more = undefined;
  readonly dataset: DatasetOfResults;
  readonly entries: AssetEntries;
  readonly start: number;
  readonly end: number;
  readonly #latest: AssetsById;
  readonly #counter: OddRowCounter;

  constructor(
    { dataset, entries, latest, start, end }: Omit<Page, 'arrived' | 'at' | 'more'> & { readonly latest: AssetsById },
    counter: OddRowCounter,
  ) {
    this.dataset = dataset;
    this.entries = entries;
    this.start = start;
    this.end = end;
    this.#latest = latest;
    this.#counter = counter;
  }

  get arrived(): PageEntries {
    return this;
  }

  /** The entry with this index among all entries. */
  at(index: number): Series {
    const entry = this.entries.at(index);
    if (entry === undefined) throw new RangeError('A page ends with its entries.');
    const latest = latestOfAsset(entry, this.entries, this.#latest);
    return new Series({ dataset: this.dataset, entry, latest, rows: entry }, this.#counter);
  }

  /** Writes it. */
  write(bound: BoundObject<ConnectionStep>, cursorAt: (index: number) => string): Writing {
    return (output) => new SeriesWriter(output, this.#counter).connection(this, bound, cursorAt);
  }
}

/** What is made of the entries of a response that passes. */
export interface ArrivingUses {
  /** Whether attributes of the highest version of an asset are written. */
  readonly latest: boolean;
  /** Charges entries before they are written. @throws GraphQLError if that is too much */
  readonly charge: (entries: AssetTable, start: number, end: number) => void;
  /** Is called when all entries were written, before what comes behind them. @throws GraphQLError if that is too much */
  readonly ended: (arrived: PageEntries) => void;
}

/** The entries of a response that passes. They are read while they are written, once. */
class ArrivingPage implements Page {
  readonly dataset: DatasetOfResults;
  readonly start = 0;
  end: number;
  readonly #arriving: ArrivingAssets;
  readonly #uses: ArrivingUses;
  readonly #counter: OddRowCounter;
  readonly #firstId: string | undefined;
  /** The id of the last entry that is there, or was. */
  #lastId: string | undefined;

  constructor(dataset: DatasetOfResults, arriving: ArrivingAssets, uses: ArrivingUses, counter: OddRowCounter) {
    this.dataset = dataset;
    this.end = arriving.table.length;
    this.#arriving = arriving;
    this.#uses = uses;
    this.#counter = counter;
    this.#firstId = arriving.table.at(0)?.assetId;
  }

  get arrived(): PageEntries {
    const at = (index: number) => {
      const assetId = index === 0 ? this.#firstId : this.#lastId;
      return assetId === undefined ? undefined : { assetId };
    };
    return { start: 0, end: this.end, entries: { length: this.end, at } };
  }

  /** Those that are there. */
  get entries(): AssetTable {
    return this.#arriving.table;
  }

  at(index: number): Series {
    const entry = this.entries.at(index - this.#arriving.start);
    if (entry === undefined) throw new RangeError('An entry has passed.');
    const latest = latestOfAsset(entry, this.entries, this.entries.latest);
    return new Series({ dataset: this.dataset, entry, latest, rows: entry }, this.#counter);
  }

  *more(): Generator<void | Promise<void>, boolean> {
    this.#lastId = this.entries.at(this.entries.length - 1)?.assetId ?? this.#lastId;
    const hasMore = yield* this.#arriving.advance(this.#uses.latest);
    const { start, table } = this.#arriving;
    if (hasMore) this.#uses.charge(table, Math.max(0, this.end - start), table.length);
    this.end = start + table.length;
    if (!hasMore) this.#uses.ended(this.arrived);
    return hasMore;
  }

  /** Writes it. @param cursorOf the cursor of an entry, by its index among all entries and its id */
  write(bound: BoundObject<ConnectionStep>, cursorOf: (index: number, assetId: string) => string): Writing {
    const cursorAt = (index: number) => cursorOf(index, this.at(index).entry.assetId);
    return (output) => new SeriesWriter(output, this.#counter).connection(this, bound, cursorAt);
  }
}

/** One entry of results, or all entries of an asset with the highest version. */
export class Series implements SeriesEntry {
  readonly dataset: DatasetOfResults;
  readonly entry: AssetEntry;
  readonly latest: AssetEntry;
  readonly rows: EntryRows;
  readonly #counter: OddRowCounter;

  constructor({ dataset, entry, latest, rows }: SeriesEntry, counter: OddRowCounter) {
    this.dataset = dataset;
    this.entry = entry;
    this.latest = latest;
    this.rows = rows;
    this.#counter = counter;
  }

  /** Its entry, as a list. */
  get entries(): AssetEntries {
    return new JoinedEntries([this.entry]);
  }

  /** Writes it. */
  write(bound: BoundObject<SeriesStep>): Writing {
    return (output) => new SeriesWriter(output, this.#counter).series(this, bound, undefined);
  }

  /** Writes the value of one field that needs its rows. */
  writeRows(field: BoundField<RowsStep>): Writing {
    return (output) => new SeriesWriter(output, this.#counter).rows(this, field, undefined);
  }
}
