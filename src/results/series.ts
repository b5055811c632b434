import type { WireField } from '../rest/wire.ts';
import { type AssetEntries, type AssetEntry, type AssetsById, latestOfAsset } from './asset-entries.ts';
import type { FastPathCounter } from './fast-path-counter.ts';
import type { ResultsResponse } from './results-response.ts';
import type {
  BoundField,
  BoundObject,
  ConnectionStep,
  DatasetOfResults,
  Page,
  RowsStep,
  SeriesEntry,
  SeriesStep,
} from './selection.ts';
import type { Writing } from './writing/output.ts';
import { SeriesWriter } from './writing/series-writer.ts';

/** The parts of one filter's results. */
export interface ResultsFields {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Every entry, in the order received. An asset may have several entries, of different versions. */
  readonly assets: WireField<AssetEntries>;
  /** The entry with the highest version of each asset. */
  readonly latest: AssetsById;
  /** The responses with omitted parts. */
  readonly incomplete: readonly ResultsResponse[];
}

/** The results of one filter. */
export class Results implements ResultsFields {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  readonly assets: WireField<AssetEntries>;
  readonly latest: AssetsById;
  readonly incomplete: readonly ResultsResponse[];
  readonly #counter: FastPathCounter;

  constructor({ processingId, sourceId, assets, latest, incomplete }: ResultsFields, counter: FastPathCounter) {
    this.processingId = processingId;
    this.sourceId = sourceId;
    this.assets = assets;
    this.latest = latest;
    this.incomplete = incomplete;
    this.#counter = counter;
  }

  /** The entries from `start` to `end` (exclusive). */
  page(dataset: DatasetOfResults, entries: AssetEntries, start: number, end: number): SeriesPage {
    return new SeriesPage({ dataset, entries, latest: this.latest, start, end }, this.#counter);
  }

  /** The entry of an asset with the highest version. Undefined if there is no such asset. */
  series(dataset: DatasetOfResults, assetId: string): Series | undefined {
    const entry = this.latest.get(assetId);
    return entry && new Series(dataset, entry, entry, this.#counter);
  }

  /** Counts a selection that the fast path does not cover. */
  bailOut(): void {
    this.#counter.bailout('selection');
  }
}

/** Some consecutive entries of results. */
export class SeriesPage implements Page {
  readonly dataset: DatasetOfResults;
  readonly entries: AssetEntries;
  readonly start: number;
  readonly end: number;
  readonly #latest: AssetsById;
  readonly #counter: FastPathCounter;

  constructor(
    { dataset, entries, latest, start, end }: Omit<Page, 'at'> & { readonly latest: AssetsById },
    counter: FastPathCounter,
  ) {
    this.dataset = dataset;
    this.entries = entries;
    this.start = start;
    this.end = end;
    this.#latest = latest;
    this.#counter = counter;
  }

  /** The entry with this index among all entries. */
  at(index: number): Series {
    const entry = this.entries.at(index);
    if (entry === undefined) throw new RangeError('A page ends with its entries.');
    return new Series(this.dataset, entry, latestOfAsset(entry, this.entries, this.#latest), this.#counter);
  }

  /** Writes it on the fast path. */
  write(bound: BoundObject<ConnectionStep>, cursorAt: (index: number) => string): Writing {
    this.#counter.hit();
    return (output) => new SeriesWriter(output, this.#counter).connection(this, bound, cursorAt);
  }
}

/** One entry of results. */
export class Series implements SeriesEntry {
  readonly dataset: DatasetOfResults;
  readonly entry: AssetEntry;
  readonly latest: AssetEntry;
  readonly #counter: FastPathCounter;

  constructor(dataset: DatasetOfResults, entry: AssetEntry, latest: AssetEntry, counter: FastPathCounter) {
    this.dataset = dataset;
    this.entry = entry;
    this.latest = latest;
    this.#counter = counter;
  }

  /** Writes it on the fast path. */
  write(bound: BoundObject<SeriesStep>): Writing {
    this.#counter.hit();
    return (output) => new SeriesWriter(output, this.#counter).series(this, bound, undefined);
  }

  /** Writes the value of one field that needs its rows, on the fast path. */
  writeRows(field: BoundField<RowsStep>): Writing {
    this.#counter.hit();
    return (output) => new SeriesWriter(output, this.#counter).rows(this, field, undefined);
  }
}
