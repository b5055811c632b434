import {
  type AskedOfResults,
  BodyError,
  drive,
  open,
  type PathError,
  type Reader,
  Selection,
} from '../../engine/index.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { BodyMemory } from '../rest/admission/body-memory.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import { unknownObject } from '../rest/contract/wire.ts';
import type { ResultsBody } from './results-body.ts';

/** The memory of a reader of usual results, which the operation has reserved. */
export const READER_BYTES: number = 2 << 20;

/** The most bytes of a row, and of an attribute. */
const MAX_PART = 1 << 20;

/**
 * Reads results, and yields what is made of each entry. A piece belongs to the caller until it asks for the next one.
 *
 * A file cannot say that something is missing or wrong. So everything that is an error in a GraphQL response ends it: an asset without an id,
 * an entry that is no object, a value of another type, a number that is not finite, and an `assets` that is repeated or no list.
 *
 * @param memory of the reader. It belongs to the caller, who releases it
 * @param limits the errors of limits of what is computed
 * @throws RestError for results that are not what the service must send, those of `limits`, and what their body throws
 */
export async function* readResults(
  body: ResultsBody,
  asked: AskedOfResults,
  memory: BodyMemory,
  limits: FieldLimits = {},
): AsyncGenerator<Buffer, void> {
  const yielder = new EventLoopYielder();
  const reader = open(new Selection({ ...asked, isPlain: true }), {
    work: Number.POSITIVE_INFINITY,
    reserved: READER_BYTES,
    part: MAX_PART,
  });
  const waits = {
    reserve: (bytes: number) => memory.growBy(bytes),
    turn: () => (yielder.isDue() ? yielder.pause() : undefined),
  };
  try {
    for await (const piece of drive(reader, [body.chunks()], waits)) {
      check(reader, limits);
      yield piece;
    }
    check(reader, limits);
  } catch (error) {
    throw error instanceof BodyError ? invalidBody(error) : error;
  }
}

/** The errors of limits of a field, by the kinds of the engine. */
export type FieldLimits = Readonly<Partial<Record<PathError['kind'], () => Error>>>;

/** What is wrong with a row of which something is computed. */
const problems: Readonly<Partial<Record<PathError['kind'], string>>> = {
  wrongDate: 'has a date of a wrong type',
  wrongMetrics: 'has a list of metrics of a wrong type',
  wrongValue: 'has a value of a wrong type',
  noDate: 'has no date',
  unreadableDate: 'has a date that cannot be read',
  tooLargeRow: 'is too large',
};

/** @throws RestError, or an error of the limits, if there is an error in what was read */
function check({ errors: [error], head: { omitted } }: Reader, limits: FieldLimits): void {
  if (error !== undefined) throw errorOf(error, limits);
  if (omitted > 0) throw invalid();
}

function errorOf({ kind, row, entry, path: [first] }: PathError, limits: FieldLimits): Error {
  if (kind === 'tooLarge') {
    const limit = { name: 'the maximum of bytes of a row or an attribute', value: MAX_PART };
    return new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit });
  }
  const problem = problems[kind];
  const series = typeof first === 'number' ? first : entry;
  const details = problem === undefined ? {} : { problem: `row ${row} of series ${series} ${problem}` };
  return limits[kind]?.() ?? invalid(details);
}

function invalidBody(cause: BodyError): RestError {
  return cause.kind === 'unknown' ? unknownObject('getDatasetResults') : invalid({ cause });
}

function invalid(details: { readonly cause?: unknown; readonly problem?: string } = {}): RestError {
  return new RestError('getDatasetResults', 'invalidResponse', { status: 200, ...details });
}
