import { ServiceError } from './response.ts';

/** A parsed ProcessingResultFilter (§2.2). An undefined field restricts nothing. */
export interface ResultsFilter {
  readonly assetIds: ReadonlySet<string> | undefined;
  /** Epoch milliseconds. bigint, because an int64 may not fit a double. */
  readonly start: bigint | undefined;
  readonly stop: bigint | undefined;
}

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/**
 * Parses the body of the results operation. §4.3 leaves three cases open. Here:
 *
 * - An omitted body and an absent field restrict nothing.
 * - An empty mo_ids restricts nothing. That is the harder case for clients: one that means "no assets" gets them all.
 * - A range may have a single bound.
 */
export function parseFilter(body: string): ResultsFilter {
  if (body === '') {
    return { assetIds: undefined, start: undefined, stop: undefined };
  }
  const filter = parseJson(body);
  if (!isObject(filter)) {
    throw invalid('The filter is not an object.');
  }
  const assetIds = assetIdsOf(filter.mo_ids);
  const { start, stop } = rangeOf(filter.time_range);
  return { assetIds, start, stop };
}

/** Whether the filter selects every asset and every row. */
export function restrictsNothing(filter: ResultsFilter): boolean {
  return filter.assetIds === undefined && filter.start === undefined && filter.stop === undefined;
}

function assetIdsOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!Array.isArray(value) || !value.every((id) => typeof id === 'string')) {
    throw invalid('mo_ids is not an array of strings.');
  }
  return value.length === 0 ? undefined : new Set(value);
}

function rangeOf(value: unknown): Pick<ResultsFilter, 'start' | 'stop'> {
  if (value === undefined) {
    return { start: undefined, stop: undefined };
  }
  if (!isObject(value)) {
    throw invalid('time_range is not an object.');
  }
  const start = boundOf(value, 'start_date');
  const stop = boundOf(value, 'stop_date');
  if (start !== undefined && stop !== undefined && start > stop) {
    throw invalid('time_range starts after it stops.');
  }
  return { start, stop };
}

function boundOf(range: Record<string, unknown>, name: 'start_date' | 'stop_date'): bigint | undefined {
  const value = range[name];
  if (value === undefined) {
    return undefined;
  }
  if (typeof value !== 'bigint' || value < int64.min || value > int64.max) {
    throw invalid(`${name} is not an int64.`);
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, exactIntegers);
  } catch {
    throw new ServiceError('BAD_REQUEST', 'The body is not JSON.');
  }
}

/** Reads integers as bigint, from their source text: as a double the largest int64 would round out of range. */
function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return value;
  }
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : BigInt(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): ServiceError {
  return new ServiceError('VALIDATION_EXCEPTION', message);
}
