import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { ResultsFilter } from '../rest/contract/wire.ts';
import type { CallObserver, RestCallRecord, RestRequest, SavedRead } from '../rest/transport/rest-call.ts';
import { rounded } from './log.ts';

/** The most calls in a list. The totals have all. */
const MAX_CALLS = 1000;

/** A REST call, or a read that needed none. It holds no URL, no token and no text of the service. */
export interface ListedCall {
  readonly operation: RestOperation;
  readonly datasetId: string;
  /** The filter in words, such as `2 assets, from 2024-01-01T00:00:00Z`. Null for metadata. */
  readonly filter: string | null;
  /** `service`: this call was sent; otherwise as in `SavedRead`. */
  readonly source: 'service' | SavedRead['source'];
  /** How often the call was made before. */
  readonly resends: number;
  /** Null without a response, and while the call is running. */
  status: number | null;
  label: string | null;
  /** Null if it succeeded, and while it is running. */
  failure: string | null;
  /** From the request for it to its end. Null while it is running. */
  milliseconds: number | null;
  /** Body bytes received for it, before decoding: none unless it was sent. Null while it is running. */
  bytes: number | null;
}

/** The REST calls of an operation, and what they cost together. */
export interface ListedCalls {
  /** How many were sent. */
  readonly count: number;
  /** Body bytes received, before decoding. */
  readonly bytes: number;
  /** From the headers of the request until now. */
  readonly milliseconds: number;
  /** In the order in which they were sent, or found to need no call. */
  readonly calls: readonly ListedCall[];
}

/** Lists the REST calls of one operation. */
export class CallList implements CallObserver {
  readonly #started: number;
  readonly #calls: ListedCall[] = [];
  readonly #sent = new Map<RestRequest, ListedCall>();
  #count = 0;
  #bytes = 0;

  /** @param started when the headers of the request had arrived, in milliseconds of `performance.now()` */
  constructor(started: number) {
    this.#started = started;
  }

  callSent(request: RestRequest, resends: number): undefined {
    const call = listed(request, 'service', resends);
    this.#count += 1;
    this.#sent.set(request, call);
    this.#add(call);
  }

  /** A call ended. One that was never sent is not in the list: the error of its field says why. */
  callEnded(record: RestCallRecord): void {
    const call = record.request && this.#sent.get(record.request);
    if (call === undefined) return;
    this.#bytes += record.bytes;
    end(call, record);
  }

  callSaved({ request, source, error, milliseconds }: SavedRead): void {
    const call = listed(request, source, 0);
    end(call, { status: error === undefined ? 200 : error.status, error, milliseconds, bytes: 0 });
    this.#add(call);
  }

  /** What the operation read so far, and what that cost. */
  read(): ListedCalls {
    const milliseconds = performance.now() - this.#started;
    return { count: this.#count, bytes: this.#bytes, milliseconds: rounded(milliseconds), calls: this.#calls };
  }

  #add(call: ListedCall): void {
    if (this.#calls.length < MAX_CALLS) this.#calls.push(call);
  }
}

function listed({ operation, datasetId, filter }: RestRequest, source: ListedCall['source'], resends: number) {
  const words = filter === undefined ? null : describeFilter(filter);
  const running = { status: null, label: null, failure: null, milliseconds: null, bytes: null };
  return { operation, datasetId, filter: words, source, resends, ...running };
}

type End = Pick<RestCallRecord, 'status' | 'error' | 'milliseconds' | 'bytes'>;

function end(call: ListedCall, { status, error, milliseconds, bytes }: End): void {
  call.status = status;
  call.label = error?.label ?? null;
  call.failure = error?.failure ?? null;
  call.milliseconds = rounded(milliseconds);
  call.bytes = bytes;
}

/** A filter in words. It has no asset ids, because they may be long. */
function describeFilter({ assetIds, timeRange: { start, stop } = {} }: ResultsFilter): string {
  const assets =
    assetIds === undefined ? 'all assets' : `${assetIds.length} ${assetIds.length === 1 ? 'asset' : 'assets'}`;
  const from = start === undefined ? '' : `, from ${timeText(start)}`;
  return `${assets}${from}${stop === undefined ? '' : `, to ${timeText(stop)}`}`;
}

/** A time as RFC 3339, or as epoch milliseconds if its year has not four digits. */
function timeText(epochMs: bigint): string {
  const date = new Date(Number(epochMs));
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString().replace('.000Z', 'Z') : `${epochMs}`;
}
