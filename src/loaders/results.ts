import DataLoader from 'dataloader';
import type { TimeRange } from '../rest/client.ts';
import type { RestError } from '../rest/errors.ts';
import type { RestSession } from '../rest/session.ts';
import {
  type AnsweredAsset,
  joinParts,
  noResults,
  pickAsset,
  type Results,
  type ResultsAnswer,
  readAnswer,
} from '../results/answer.ts';
import type { FastPathCounter } from '../results/counter.ts';
import { CallIndex } from './call-index.ts';
import type { CallMerging } from './call-merging.ts';
import {
  type Answer,
  callsFor,
  carriersAmong,
  filterOf,
  hasUnrequestedAssets,
  type MadeCall,
  nextCalls,
  type Part,
  type PlannedCall,
  type Progress,
  type Reading,
  type ResultsRequest,
  read,
} from './results-plan.ts';

/** Which results of a dataset: absent parts do not restrict. */
export interface RowsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/** What the results loader of one operation works with. */
export interface ResultsLoaderOptions {
  readonly session: RestSession;
  readonly sharing: CallMerging;
  /** Counts for the fast path; undefined where it is off. */
  readonly fastPath: FastPathCounter | undefined;
  /** The most asset ids in one call that may be shared. */
  readonly assetIdsPerCall: number;
}

/**
 * The results of datasets, within one GraphQL operation. Everything that is asked for in one turn of the event loop is
 * planned together (results-plan.ts); what is asked for later is taken from earlier answers where these hold it.
 */
export class ResultsLoader {
  readonly #options: ResultsLoaderOptions;
  readonly #datasets = new Map<string, DatasetProgress>();
  readonly #parts: DataLoader<{ datasetId: string; request: ResultsRequest }, readonly Part<ResultsAnswer>[], string>;
  readonly #joined = new WeakMap<readonly Part<ResultsAnswer>[], Promise<Results>>();

  constructor(options: ResultsLoaderOptions) {
    this.#options = options;
    this.#parts = new DataLoader(async (keys) => this.#register(keys), {
      cacheKeyFn: ({ datasetId, request }) => `${keyOf(request)} ${datasetId}`,
    });
  }

  /**
   * The results under one filter. Rejects with a RestError.
   *
   * @param signal says that this caller needs them no more; a call that nobody needs is ended
   */
  async rows(datasetId: string, { assetIds, timeRange }: RowsFilter, signal?: AbortSignal): Promise<Results> {
    if (assetIds?.length === 0) return noResults;
    const filter = filterOf(assetIds, timeRange);
    const parts = await this.#load(datasetId, { kind: 'rows', filter, sharing: this.#options.sharing.on }, signal);
    const results = this.#joined.get(parts) ?? joinParts(parts);
    this.#joined.set(parts, results);
    return results;
  }

  /**
   * The attributes of one asset, from any results of this operation that ask for it. Rejects with a RestError.
   *
   * @param signal as for `rows`
   */
  async asset(datasetId: string, assetId: string, signal?: AbortSignal): Promise<AnsweredAsset> {
    const filter = filterOf([assetId], undefined);
    const request: ResultsRequest = { kind: 'attributes', filter, sharing: this.#options.sharing.on };
    return pickAsset(await this.#load(datasetId, request, signal), assetId);
  }

  #load(
    datasetId: string,
    request: ResultsRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Part<ResultsAnswer>[]> {
    const key = { datasetId, request };
    const parts = this.#parts.load(key);
    this.#dataset(datasetId).join(request, signal);
    return parts;
  }

  /** Hands a promise for each key to DataLoader, which passes it on, so that no key waits for the others. */
  #register(keys: readonly { datasetId: string; request: ResultsRequest }[]): readonly Part<ResultsAnswer>[][] {
    const answers = keys.map(({ datasetId, request }) => this.#dataset(datasetId).add(request));
    for (const datasetId of new Set(keys.map((key) => key.datasetId))) this.#dataset(datasetId).advance();
    return answers as never;
  }

  #dataset(datasetId: string): DatasetProgress {
    const known = this.#datasets.get(datasetId);
    if (known !== undefined) return known;
    const dataset = new DatasetProgress(datasetId, this.#options);
    this.#datasets.set(datasetId, dataset);
    return dataset;
  }
}

/** So many pairs of an open request and a call are much to plan. */
const MUCH = 4096;

/** A call that was made, and the means to end it. */
interface RunningCall extends MadeCall<ResultsAnswer> {
  outcome: Answer<ResultsAnswer> | { readonly error: RestError } | undefined;
  readonly abort: AbortController;
}

/** Private. The requests and calls of one dataset; carries out what results-plan.ts decides. */
class DatasetProgress {
  readonly #datasetId: string;
  readonly #options: ResultsLoaderOptions;
  readonly #calls = new CallIndex<RunningCall>();
  readonly #requests: ResultsRequest[] = [];
  /** Requests without an answer yet. */
  readonly #open = new Map<ResultsRequest, PromiseWithResolvers<readonly Part<ResultsAnswer>[]>>();
  /** How the other requests have ended. */
  readonly #ended = new Map<ResultsRequest, Reading<ResultsAnswer>>();
  /** How many callers need a request; absent: nobody does any more. Keyed like DataLoader's cache. */
  readonly #needed = new Map<string, number>();
  /** Whether `advance` is about to be run. */
  #advancing = false;

  constructor(datasetId: string, options: ResultsLoaderOptions) {
    this.#datasetId = datasetId;
    this.#options = options;
  }

  /** One more caller needs a request, until its signal says otherwise. */
  join(request: ResultsRequest, signal: AbortSignal | undefined): void {
    const key = keyOf(request);
    const callers = this.#needed.get(key);
    this.#needed.set(key, (callers ?? 0) + 1);
    // It was given up, and its call was ended.
    if (callers === 0) this.#advanceSoon(queueMicrotask);
    signal?.addEventListener(
      'abort',
      () => {
        this.#needed.set(key, (this.#needed.get(key) ?? 0) - 1);
        this.#advanceSoon(queueMicrotask);
      },
      { once: true },
    );
  }

  add(request: ResultsRequest): Promise<readonly Part<ResultsAnswer>[]> {
    const parts = Promise.withResolvers<readonly Part<ResultsAnswer>[]>();
    this.#requests.push(request);
    this.#open.set(request, parts);
    return parts.promise;
  }

  /**
   * Answers what can be answered, ends the calls that nobody needs, and makes those that are needed next. Does not throw:
   * it is run when calls end, and then nobody would be told. What goes wrong in it, whoever waits is told.
   */
  advance(): void {
    try {
      this.#advance();
    } catch (error) {
      for (const { reject } of this.#open.values()) reject(error);
      this.#open.clear();
    }
  }

  #advance(): void {
    const progress = this.#progress();
    for (const [request, { resolve, reject }] of this.#open) {
      const reading = read(request, progress);
      if (reading.state === 'answered') resolve(reading.parts);
      else if (reading.state === 'failed') reject(reading.error);
      else continue;
      this.#open.delete(request);
      this.#ended.set(request, reading);
    }
    // Before the next calls are planned: some of them wait until nothing else is under way.
    const open = this.#openAndNeeded();
    this.#endUnneeded(open, progress);
    for (const call of nextCalls(open, progress, this.#options.sharing.on)) this.#make(call);
  }

  /** Once for all that comes before. */
  #advanceSoon(schedule: (advance: () => void) => void): void {
    if (this.#advancing) return;
    this.#advancing = true;
    schedule(() => {
      this.#advancing = false;
      this.advance();
    });
  }

  #progress(): Progress<ResultsAnswer> {
    const requests = this.#requests.filter((request) => this.#ended.has(request) || this.#isNeeded(request));
    return {
      carriers: carriersAmong(requests),
      ended: this.#ended,
      calls: this.#calls,
      idsPerCall: this.#options.assetIdsPerCall,
      readings: new Map(),
    };
  }

  #openAndNeeded(): ResultsRequest[] {
    return [...this.#open.keys()].filter((request) => this.#isNeeded(request));
  }

  #isNeeded(request: ResultsRequest): boolean {
    return (this.#needed.get(keyOf(request)) ?? 0) > 0;
  }

  async #make(planned: PlannedCall): Promise<void> {
    const call: RunningCall = { ...planned, outcome: undefined, abort: new AbortController() };
    this.#calls.add(call);
    const { session, sharing, fastPath } = this.#options;
    const { assetIds, timeRange } = planned.filter;
    const filter = { assetIds: assetIds && [...assetIds], timeRange };
    const reserve = (bytes: number) => session.memory.reserve(bytes, call.abort.signal);
    try {
      const body = await session.getDatasetResults(this.#datasetId, filter, call.abort.signal);
      const answer = await readAnswer(body, { fastPath: fastPath !== undefined, reserve });
      session.keep(answer.memory);
      call.outcome = { answer, hasUnrequestedAssets: hasUnrequestedAssets(call.filter, answer) };
      if (call.shared && call.outcome.hasUnrequestedAssets) sharing.turnOff();
    } catch (error) {
      call.outcome = { error: error as RestError };
    }
    if (call.abort.signal.aborted) return;
    // To plan much takes time: then it is done once for all answers that come in one turn of the event loop.
    if (this.#open.size * this.#calls.size < MUCH) this.advance();
    else this.#advanceSoon(setImmediate);
  }

  #endUnneeded(open: readonly ResultsRequest[], progress: Progress<ResultsAnswer>): void {
    const underWay = this.#calls.filter((call) => call.outcome === undefined);
    if (underWay.length === 0) return;
    const needed = callsFor(open, progress);
    for (const call of underWay) {
      if (needed.has(call)) continue;
      this.#calls.delete(call);
      call.abort.abort();
    }
  }
}

/** Private. Equal for requests that get the same. */
function keyOf(request: ResultsRequest): string {
  return `${request.kind} ${request.filter.key}`;
}
