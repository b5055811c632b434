import { ArrivingBody } from '../core/arriving-body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { RestSession } from '../rest/session.ts';
import { type Reserve, type ResultsResponse, readResponse } from '../results/results.ts';
import { CallIndex } from './call-index.ts';
import type { CallMerging } from './call-merging.ts';
import type { DatasetLoader } from './dataset-loader.ts';
import { printResultsCalls } from './printed-calls.ts';
import {
  callsFor,
  carriersAmong,
  keyOf,
  type Parts,
  type Progress,
  type RequestState,
  type ResultsRequest,
  stateOf,
} from './request-state.ts';
import {
  type CallFailure,
  type CallSuccess,
  hasUnrequestedAssets,
  type MadeCall,
  type PlannedCall,
} from './results-calls.ts';
import type { Reader, ResultsPassing } from './results-passing.ts';
import { nextCalls } from './results-plan.ts';

/** Observes the planning of one operation. */
export interface PlanObserver {
  /** A call of results is made. @param isMerged whether it serves several requests */
  callPlanned(isMerged: boolean): void;
}

/** What the results loader of one operation works with. */
export interface ResultsLoaderOptions {
  readonly session: RestSession;
  readonly loader: DatasetLoader;
  readonly observer: PlanObserver;
  readonly merging: CallMerging;
  readonly passing: ResultsPassing;
  /** The maximum number of asset ids in a merged call. */
  readonly assetIdsPerCall: number;
}

/** Above this number of pairs of a pending request and a call, planning takes long. */
const MAX_CHEAP_PAIRS = 4096;

/** A call that was made, and the means to abort it. */
interface RunningCall extends MadeCall<ResultsResponse> {
  outcome: CallSuccess<ResultsResponse> | CallFailure | undefined;
  readonly abort: AbortController;
}

/** The requests and calls of one dataset within one operation. Makes the calls that results-plan.ts plans. */
export class DatasetProgress {
  readonly #datasetId: string;
  readonly #options: ResultsLoaderOptions;
  readonly #calls = new CallIndex<RunningCall>();
  readonly #requests: ResultsRequest[] = [];
  readonly #pending = new Map<ResultsRequest, PromiseWithResolvers<Parts>>();
  readonly #settled = new Map<ResultsRequest, RequestState<ResultsResponse>>();
  /** How many fields and references wait for a request; absent or 0: it is cancelled. By its key. */
  readonly #waiters = new Map<string, number>();
  /** Who reads results, by the key of the request; undefined: someone who may read all of them, at any time. */
  readonly #readers = new Map<string, (Reader | undefined)[]>();
  /** How many further readers will come. */
  #announced = 0;
  /** Whether `#advance` is scheduled. */
  #isAdvancing = false;

  constructor(datasetId: string, options: ResultsLoaderOptions) {
    this.#datasetId = datasetId;
    this.#options = options;
  }

  /** So many readers will come. */
  announceReaders(count: number): void {
    this.#announced += count;
  }

  /**
   * Loads the parts of a request. Rejects with a RestError.
   *
   * @param signal cancels it, unless other fields or references wait for an equal request
   * @param reader who reads them; undefined: someone who may read all of them, at any time
   */
  async load(request: ResultsRequest, signal: AbortSignal | undefined, reader?: Reader): Promise<Parts> {
    const key = keyOf(request);
    this.#join(key, signal);
    const readers = this.#readers.get(key) ?? [];
    this.#readers.set(key, readers);
    readers.push(reader);
    if (reader?.wasAnnounced === true) this.#announced -= 1;
    const parts = await this.#options.loader.results(this.#datasetId, request);
    for (const { response } of parts) response.open(reader);
    return parts;
  }

  /** Plans the requests of a batch together, and makes their calls. Returns a promise for each. */
  plan(requests: readonly ResultsRequest[]): Promise<Parts>[] {
    const mergeable = this.#mayMerge(requests.length);
    const loading = requests.map((request) => {
      const parts = Promise.withResolvers<Parts>();
      request.mergeable = mergeable;
      this.#requests.push(request);
      this.#pending.set(request, parts);
      return parts.promise;
    });
    this.#advance();
    return loading;
  }

  /** One more field or reference waits for a request, until its signal aborts. */
  #join(key: string, signal: AbortSignal | undefined): void {
    const waiters = this.#waiters.get(key);
    this.#waiters.set(key, (waiters ?? 0) + 1);
    // The request was cancelled, and its call aborted.
    if (waiters === 0) this.#advanceSoon(queueMicrotask);
    signal?.addEventListener(
      'abort',
      () => {
        this.#waiters.set(key, (this.#waiters.get(key) ?? 0) - 1);
        this.#advanceSoon(queueMicrotask);
      },
      { once: true },
    );
  }

  /**
   * Settles the requests that can be settled, aborts the calls that no request needs, and makes the next calls. Never
   * throws, because it runs when calls end and has no caller then. An error rejects the pending requests.
   */
  #advance(): void {
    try {
      this.#tryAdvance();
    } catch (error) {
      this.#rejectPending(error);
    }
  }

  #rejectPending(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #tryAdvance(): void {
    const progress = this.#progress();
    for (const [request, { resolve, reject }] of this.#pending) {
      const state = stateOf(request, progress);
      if (state.state === 'resolved') resolve(state.parts);
      else if (state.state === 'failed') reject(state.error);
      else continue;
      this.#pending.delete(request);
      this.#settled.set(request, state);
    }
    const pending = [...this.#pending.keys()].filter((request) => this.#hasWaiters(request));
    // Before the next calls are planned: some of them wait until no other call is running.
    this.#abortUnneeded(pending, progress);
    for (const call of nextCalls(pending, progress, this.#mayMerge(pending.length))) {
      this.#make(call).catch((error) => this.#rejectPending(error));
    }
  }

  /** Its calls as text, line by line. */
  print(): Iterable<string> {
    return printResultsCalls(this.#datasetId, this.#requests, this.#progress());
  }

  #mayMerge(requests: number): boolean {
    return this.#options.merging.allows(this.#datasetId, requests);
  }

  /** Schedules one `#advance` for everything that happens before it runs. */
  #advanceSoon(schedule: (advance: () => void) => void): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    schedule(() => {
      this.#isAdvancing = false;
      this.#advance();
    });
  }

  #progress(): Progress<ResultsResponse> {
    const requests = this.#requests.filter((request) => this.#settled.has(request) || this.#hasWaiters(request));
    return {
      carriers: carriersAmong(requests),
      settled: this.#settled,
      calls: this.#calls,
      idsPerCall: this.#options.assetIdsPerCall,
      states: new Map(),
    };
  }

  #hasWaiters(request: ResultsRequest): boolean {
    return (this.#waiters.get(keyOf(request)) ?? 0) > 0;
  }

  async #make(planned: PlannedCall): Promise<void> {
    const call: RunningCall = { ...planned, outcome: undefined, abort: new AbortController() };
    this.#calls.add(call);
    const { session, merging, passing, observer } = this.#options;
    observer.callPlanned(planned.merged);
    const { assetIds, timeRange } = planned.filter;
    const filter = { assetIds: assetIds && [...assetIds], timeRange };
    const reserve = (bytes: number) => session.memory.reserve(bytes, call.abort.signal);
    const readers = this.#countedReaders(planned);
    const needs = readers && passing.needsOf(this.#datasetId, planned.filter, readers);
    const early = Promise.withResolvers<ResultsResponse>();
    let arriving: ArrivingBody | undefined;
    let reading: Promise<ResultsResponse | undefined> | undefined;
    const onLargeBody = (body: ArrivingBody) => {
      arriving = body;
      reading = readResponse(body, reserve, needs).catch(unlessFailed);
      reading.then(
        (made) => made?.arriving !== undefined && early.resolve(made),
        // Of a body that is kept, the failure of the call comes first.
        (error) => body.isPartial && early.reject(error),
      );
    };
    const { signal } = call.abort;
    try {
      const complete = session
        .getDatasetResults(this.#datasetId, filter, signal, {
          onLargeBody,
          mayDrop: needs && ('first' in needs ? 'what is not needed' : 'what was sent'),
        })
        .then((body) => this.#read(body, reserve, reading));
      // Its reader gets the failure of a body of which only a part is held.
      complete.catch((error) => arriving?.isPartial === true && arriving.fail(error));
      const response = await Promise.race([early.promise, complete]);
      if (response.arriving !== undefined) response.arriving.whenRepeated = () => passing.suspend(this.#datasetId);
      else if (response.repeatsAssets) passing.suspend(this.#datasetId);
      session.releaseAtEnd(response);
      response.admit(readers ?? []);
      call.outcome = { response, hasUnrequestedAssets: hasUnrequestedAssets(call.filter, response) };
      if (call.merged && call.outcome.hasUnrequestedAssets) merging.suspend(this.#datasetId);
    } catch (error) {
      call.outcome = { error: error as RestError };
    }
    if (call.abort.signal.aborted) return;
    // Where planning takes long, plan once for all responses of one turn of the event loop.
    if (this.#pending.size * this.#calls.size < MAX_CHEAP_PAIRS) this.#advance();
    else this.#advanceSoon(setImmediate);
  }

  /** All who will read the response of a call. Undefined if there may be others, or they need all of it. */
  #countedReaders({ merged }: PlannedCall): Reader[] | undefined {
    const [request, ...others] = this.#requests;
    const mayCount = others.length === 0 && !merged && this.#announced === 0;
    const readers = request && mayCount ? this.#readers.get(keyOf(request)) : undefined;
    return readers?.every((reader) => reader !== undefined) ? [...readers] : undefined;
  }

  async #read(
    body: PooledBuffer,
    reserve: Reserve,
    reading: Promise<ResultsResponse | undefined> | undefined,
  ): Promise<ResultsResponse> {
    try {
      const response = (await reading) ?? (await readResponse(ArrivingBody.complete(body), reserve));
      // The cache may have moved it.
      response.moveTo(body);
      return response;
    } catch (error) {
      if (error instanceof RestError && error.failure === 'invalidResponse') this.#options.session.invalidBody(body);
      body.release();
      throw error;
    }
  }

  #abortUnneeded(pending: readonly ResultsRequest[], progress: Progress<ResultsResponse>): void {
    const running = this.#calls.filter((call) => call.outcome === undefined);
    if (running.length === 0) return;
    const needed = callsFor(pending, progress);
    for (const call of running) {
      if (needed.has(call)) continue;
      this.#calls.delete(call);
      call.abort.abort();
    }
  }
}

/** Rethrows a failure of the response or of its reading, and no other error. */
function unlessFailed(error: unknown): undefined {
  if (error instanceof RestError) throw error;
}
