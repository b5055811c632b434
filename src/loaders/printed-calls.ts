import type { TimeRange } from '../rest/contract/wire.ts';
import type { CallIndex } from './filters.ts';
import { type MadeCall, type Request, RequestStates } from './planner.ts';

/** The most ids in a line. */
const MAX_IDS = 5;
/** The most requests below a call. */
const MAX_REQUESTS = 10;

/**
 * Prints the results calls of one dataset as text, each with the requests that it serves:
 *
 *     POST results of "d": assets "a", "b", "c"; merged
 *       rows of assets "a", "b"
 *       attributes of asset "c"
 */
export function* printResultsCalls<C extends MadeCall>(
  datasetId: string,
  requests: readonly Request<C>[],
  calls: CallIndex<C>,
): Generator<string> {
  const states = new RequestStates(requests, calls, 1);
  const served = new Map<C, Request<C>[]>(calls.filter(() => true).map((call) => [call, []]));
  for (const request of requests) for (const call of states.callsFor([request])) served.get(call)?.push(request);
  for (const [{ filter, merged }, own] of served) {
    yield `POST results of ${JSON.stringify(datasetId)}: ${printFilter(filter)}${merged ? '; merged' : ''}`;
    for (const request of own.slice(0, MAX_REQUESTS)) yield `  ${request.kind} of ${printFilter(request.filter)}`;
    if (own.length > MAX_REQUESTS) yield `  and ${own.length - MAX_REQUESTS} more`;
  }
}

/** An absent part does not restrict. */
interface PrintedFilter {
  readonly assetIds?: Iterable<string> | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/** Prints a filter: `assets "a", "b", from 0 to 5`. */
export function printFilter({ assetIds, timeRange }: PrintedFilter): string {
  return `${assetIds === undefined ? 'all assets' : printAssets([...assetIds])}${printTimeRange(timeRange)}`;
}

function printAssets(ids: readonly string[]): string {
  const printed = ids.slice(0, MAX_IDS).map((id) => JSON.stringify(id));
  const others = ids.length > MAX_IDS ? ` and ${ids.length - MAX_IDS} more` : '';
  return `${ids.length === 1 ? 'asset' : 'assets'} ${printed.join(', ')}${others}`;
}

/** Prints the bounds of a time range; nothing for all time. */
export function printTimeRange(range: TimeRange | undefined): string {
  const { start, stop } = range ?? {};
  return `${start === undefined ? '' : `, from ${start}`}${stop === undefined ? '' : `, to ${stop}`}`;
}
