/**
 * The face of results/: other layers import only this file. A results response passes through three steps:
 *
 *     bytes --read (indexing/)--> ResultsResponse --join--> Results
 *     Results + a bound selection (selection.ts) --write (writing/)--> Writing --writeChunks--> chunks of the GraphQL response
 *
 * The session releases the bytes when the last chunk is written.
 */

import { ArrivingBody } from '../core/arriving-body.ts';
import type { DerivedData, PooledBuffer } from '../core/buffer-pool.ts';
import type { Reserve } from '../scanner/steps.ts';
import { joinParts, type ResponsePart } from './join.ts';
import { OddRowCounter, type OddRowCounts } from './odd-rows.ts';
import { BodyIndex, indexBody, type PartialNeeds, ResultsResponse } from './results-response.ts';
import { Results } from './series.ts';

export type { Reserve } from '../scanner/steps.ts';
export { allParts } from './aggregates/aggregate.ts';
export { ByDate, MAX_ENTRIES, type MetricAggregates } from './aggregates/by-date.ts';
export { Dates, MAX_DATES } from './aggregates/dates.ts';
export { BYTES_PER_CHARACTER, MAX_METRICS } from './aggregates/named-metrics.ts';
export { MAX_PERIODS, Periods, type PeriodUnit, periodUnits } from './aggregates/periods.ts';
export { MAX_QUANTILE_VALUES, type Quantiles } from './aggregates/quantiles.ts';
export { type MetricStatistics, Statistics } from './aggregates/statistics.ts';
export type { ArrivingAssets } from './arriving-assets.ts';
export type { AssetEntries, AssetEntry, AttributeCopies, AttributeName } from './asset-entries.ts';
export { type FoundAsset, pickAsset } from './join.ts';
export type { OddRowCounter, OddRowCounts } from './odd-rows.ts';
export { oddRowReasons } from './odd-rows.ts';
export type { PartialNeeds, PassingNeeds } from './results-response.ts';
export type * from './selection.ts';
export type { ArrivingUses, Results, Series, SeriesPage } from './series.ts';
export { UNITS_PER_REPEATED_ENTRY, WorkBudget } from './work-budget.ts';
export { ByteWriter } from './writing/byte-writer.ts';
export type { Writing } from './writing/output-chunks.ts';
export { type WrittenPart, writeChunks } from './writing/output-chunks.ts';
export { BodyIndex, ResultsResponse };

/** Reads results responses. One for each process: it holds no data of any client. */
export class ResultsReader {
  /** The results of a filter that asks for no assets: known without a call. */
  readonly empty: Results;
  readonly #counter = new OddRowCounter();

  constructor() {
    const nothing = {
      processingId: null,
      sourceId: null,
      assets: { length: 0, at: () => undefined, attributeBytesIn: () => 0 },
      latest: new Map(),
      incomplete: [],
      names: undefined,
      arriving: undefined,
    };
    this.empty = new Results(nothing, this.#counter);
  }

  /**
   * Indexes the body of a response while it arrives.
   *
   * @param reserve is called before memory is taken for what is built from the body
   * @param needs of an operation that does not need all of the response: then of a large body only a part is held
   * @returns its index, or a response that passes
   * @throws RestError `invalidResponse` when the body is not a JSON object in UTF-8, and what `reserve` throws
   */
  index(body: ArrivingBody, reserve: Reserve, needs?: PartialNeeds): Promise<BodyIndex | ResultsResponse> {
    return indexBody(body, reserve, needs);
  }

  /**
   * Reads the body of a response that has arrived.
   *
   * @param body from now on it belongs to the response
   * @param index its index, if it was made while the body arrived
   * @throws as `index`
   */
  async read(body: PooledBuffer, reserve: Reserve, index?: BodyIndex): Promise<ResultsResponse> {
    if (index?.isOf(body) === true) return index.open(body, true);
    index?.release();
    // A body of which all is needed does not pass.
    const made = (await this.index(ArrivingBody.complete(body), reserve)) as BodyIndex;
    return made.open(body, true);
  }

  /** The response with this body, if what is given is the index of the body. It keeps belonging to someone else. */
  reopen(body: PooledBuffer, index: DerivedData | undefined): ResultsResponse | undefined {
    return index instanceof BodyIndex ? index.open(body, false) : undefined;
  }

  /** Counts for one operation, and for the process. */
  counterOfOperation(): OddRowCounter {
    return new OddRowCounter(this.#counter);
  }

  /** Joins the parts of one filter's results, in their order. */
  async join(parts: readonly ResponsePart[], counter: OddRowCounter): Promise<Results> {
    return new Results(await joinParts(parts), counter);
  }

  /** How many odd rows there were. */
  get oddRows(): OddRowCounts {
    return this.#counter.read();
  }
}
