import { RestError } from '../rest/contract/rest-error.ts';
import type { RestSession } from '../rest/session.ts';
import { Results, type ResultsResponse, readResponse } from '../results/results.ts';
import type { Filter } from './filters.ts';
import { CallIndex } from './filters.ts';
import {
  type CallOutcome,
  hasUnrequestedAssets,
  type MadeCall,
  type PlannedCall,
  plan,
  type Request,
  type Settled,
} from './planner.ts';
import { printResultsCalls } from './printed-calls.ts';
import type { CallMerging, Reader, ResultsStreaming } from './suspensions.ts';

/** Observes the planning of one operation. */
export interface PlanObserver {
  /** A call of results is made. @param isMerged whether it serves several requests */
  callPlanned(isMerged: boolean): void;
}

/** What the results calls of one operation are made with. */
export interface DatasetCallsOptions {
  readonly session: RestSession;
  /** Undefined if nobody observes it. */
  readonly observer: PlanObserver | undefined;
  readonly merging: CallMerging;
  readonly streaming: ResultsStreaming;
  /** The maximum number of asset ids in a merged call. */
  readonly assetIdsPerCall: number;
}

/** Above this number of pairs of a pending request and a call, planning takes long. */
const MAX_CHEAP_PAIRS = 4096;

/** A call that was made, and the means to abort it. */
class ResultsCall implements MadeCall {
  readonly filter: Filter;
  readonly merged: boolean;
  outcome: CallOutcome | undefined;
  /** That of its outcome. */
  response: ResultsResponse | undefined;
  readonly abort: AbortController = new AbortController();

  constructor({ filter, merged }: PlannedCall) {
    this.filter = filter;
    this.merged = merged;
  }
}

/** A request for results of one dataset: that of all fields and references that request the same. */
export class ResultsRequest implements Request<ResultsCall> {
  readonly datasetId: string;
  readonly kind: 'rows' | 'attributes';
  readonly filter: Filter;
  /** Is known when it is planned. */
  mergeable = true;
  settled: Settled<ResultsCall> | undefined;
  /** How many wait for it. */
  waiters = 0;
  /** Who reads its results; undefined: someone who may read all of them, at any time. */
  readonly readers: (Reader | undefined)[] = [];
  /** Its results. Rejects with a RestError. */
  readonly loading: PromiseWithResolvers<Results> = Promise.withResolvers();

  constructor(datasetId: string, kind: 'rows' | 'attributes', filter: Filter) {
    this.datasetId = datasetId;
    this.kind = kind;
    this.filter = filter;
  }

  get isWanted(): boolean {
    return this.waiters > 0;
  }

  settle(settled: Settled<ResultsCall>): void {
    this.settled = settled;
    if (settled.state === 'failed') this.loading.reject(settled.error);
    else {
      const parts = settled.parts.map(({ call, only }) => ({ response: call.response as ResultsResponse, only }));
      this.loading.resolve(new Results(parts));
    }
  }
}

/** The requests and calls of one dataset within one operation. Makes the calls that planner.ts plans. */
export class DatasetCalls {
  readonly #datasetId: string;
  readonly #options: DatasetCallsOptions;
  readonly #requests = new Map<string, ResultsRequest>();
  /** Those that are planned, in the order asked. */
  readonly #planned: ResultsRequest[] = [];
  readonly #calls = new CallIndex<ResultsCall>();
  #pending = 0;
  /** How many further readers will come. */
  #announced = 0;
  /** Whether `#advance` is scheduled. */
  #isAdvancing = false;

  constructor(datasetId: string, options: DatasetCallsOptions) {
    this.#datasetId = datasetId;
    this.#options = options;
  }

  /** So many readers will come. */
  announceReaders(count: number): void {
    this.#announced += count;
  }

  /**
   * One more field or reference requests something. Returns the request, which has to be started if it is new.
   *
   * @param signal cancels it, unless others request the same
   * @param reader who reads the results, once; undefined: someone who may read all of them, at any time
   */
  request(
    kind: ResultsRequest['kind'],
    filter: Filter,
    signal: AbortSignal | undefined,
    reader: Reader | undefined,
  ): ResultsRequest {
    const key = `${kind} ${filter.key}`;
    const known = this.#requests.get(key);
    const request = known ?? new ResultsRequest(this.#datasetId, kind, filter);
    this.#requests.set(key, request);
    request.waiters += 1;
    // The request was cancelled, and its call aborted.
    if (known !== undefined && request.waiters === 1) this.#advanceSoon(queueMicrotask);
    request.readers.push(reader);
    if (reader?.wasAnnounced === true) this.#announced -= 1;
    signal?.addEventListener(
      'abort',
      () => {
        request.waiters -= 1;
        this.#advanceSoon(queueMicrotask);
      },
      { once: true },
    );
    return request;
  }

  /** Plans requests together, and makes their calls. */
  start(requests: readonly ResultsRequest[]): void {
    const mergeable = this.#options.merging.allows(this.#datasetId, requests.length);
    for (const request of requests) {
      request.mergeable = mergeable;
      this.#planned.push(request);
    }
    this.#pending += requests.length;
    this.#advance();
  }

  /** Its calls as text, line by line. */
  print(): Iterable<string> {
    return printResultsCalls(this.#datasetId, this.#planned, this.#calls);
  }

  /**
   * Settles the requests that can be settled, aborts the calls that no request needs, and makes the next calls. Never
   * throws, because it runs when calls end and has no caller then. An error rejects the pending requests.
   */
  #advance(): void {
    const { merging } = this.#options;
    try {
      const { settle, abort, make } = plan(this.#planned, this.#calls, {
        idsPerCall: this.#options.assetIdsPerCall,
        mayMerge: (requests) => merging.allows(this.#datasetId, requests),
      });
      for (const [request, settled] of settle) request.settle(settled);
      this.#pending -= settle.size;
      for (const call of abort) {
        this.#calls.delete(call);
        call.abort.abort();
      }
      for (const call of make) this.#make(new ResultsCall(call)).catch((error) => this.#rejectPending(error));
    } catch (error) {
      this.#rejectPending(error);
    }
  }

  #rejectPending(error: unknown): void {
    for (const request of this.#planned)
      if (request.settled === undefined) request.settle({ state: 'failed', error: error as RestError });
    this.#pending = 0;
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

  async #make(call: ResultsCall): Promise<void> {
    const { filter, merged } = call;
    const { session, merging, streaming, observer } = this.#options;
    this.#calls.add(call);
    observer?.callPlanned(merged);
    const readers = this.#countedReaders(call);
    try {
      const response = await this.#read(call, readers);
      if (response.streamed !== undefined) response.streamed.whenRepeated = () => streaming.suspend(this.#datasetId);
      else if (response.repeatsAssets) streaming.suspend(this.#datasetId);
      session.releaseAtEnd(response);
      if (response.isHeldInPart) response.admit(readers ?? []);
      const { assetIds } = response;
      call.response = response;
      call.outcome = { assetIds, hasUnrequestedAssets: hasUnrequestedAssets(filter, assetIds) };
      if (merged && call.outcome.hasUnrequestedAssets) merging.suspend(this.#datasetId);
    } catch (error) {
      call.outcome = { error: error as RestError };
    }
    if (call.abort.signal.aborted) return;
    // Where planning takes long, plan once for all responses of one turn of the event loop.
    if (this.#pending * this.#calls.size < MAX_CHEAP_PAIRS) this.#advance();
    else this.#advanceSoon(setImmediate);
  }

  /** All who will read the response of a call. Undefined if there may be others, or they need all of it. */
  #countedReaders({ merged }: PlannedCall): Reader[] | undefined {
    const [request, ...others] = this.#planned;
    const mayCount = others.length === 0 && !merged && this.#announced === 0;
    return mayCount && request?.readers.every((reader) => reader !== undefined) ? [...request.readers] : undefined;
  }

  /** Makes a call, and reads its response while it arrives. Rejects with a RestError. */
  async #read({ filter, abort }: ResultsCall, readers: readonly Reader[] | undefined): Promise<ResultsResponse> {
    const { session, streaming } = this.#options;
    const { assetIds, timeRange } = filter;
    const reserve = (bytes: number) => session.memory.reserve(bytes, abort.signal);
    const requirements = readers && streaming.requirementsOf(this.#datasetId, filter, readers);
    const mayDrop = requirements && ('first' in requirements ? 'what is not needed' : 'what was sent');
    const asked = { assetIds: assetIds && [...assetIds], timeRange };
    const body = await session.results(this.#datasetId, asked, abort.signal, mayDrop);
    try {
      return await readResponse(body, reserve, requirements);
    } catch (error) {
      const isInvalid = error instanceof RestError && error.failure === 'invalidResponse';
      if (isInvalid && body.whole !== undefined) session.cachedBody?.(body.whole)?.discard();
      throw error;
    }
  }
}
