import { BodyError, drive, type FieldType, open, type PathError, type Reader, Selection } from '../../engine/index.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { BodyMemory } from '../rest/admission/body-memory.ts';
import type { OperationMemory } from '../rest/admission/operation-memory.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { ResultsBody } from './results-body.ts';

/** The memory of a reader that the operation has reserved. */
export const READER_BYTES: number = 1 << 20;

/** The most bytes of a row, and of an attribute. */
const MAX_PART = 1 << 20;

/**
 * Reads results, and yields what is made of each entry. A piece belongs to the caller until it asks for the next one.
 *
 * A file cannot say that something is missing or wrong. So everything that is an error in a GraphQL response ends it: an asset without an id,
 * an entry that is no object, a value of another type, a number that is not finite, and an `assets` that is repeated or no list.
 *
 * @throws RestError for results that are not what the service must send, and what their body throws
 */
export async function* readResults(
  body: ResultsBody,
  type: FieldType,
  memory: OperationMemory,
): AsyncGenerator<Buffer, void> {
  const held = new BodyMemory(memory, 0);
  const yielder = new EventLoopYielder();
  const selection = new Selection({ entries: [{ key: 'file', field: 'file', type }], isPlain: true });
  const reader = open(selection, { work: Number.POSITIVE_INFINITY, reserved: READER_BYTES, part: MAX_PART });
  const waits = {
    reserve: (bytes: number) => held.growBy(bytes),
    turn: () => (yielder.isDue() ? yielder.pause() : undefined),
  };
  try {
    for await (const piece of drive(reader, [body.chunks()], waits)) {
      check(reader);
      yield piece;
    }
    check(reader);
  } catch (error) {
    throw error instanceof BodyError ? invalid(error) : error;
  } finally {
    held.release();
  }
}

/** @throws RestError if there is an error in what was read */
function check({ errors: [error], head: { omitted } }: Reader): void {
  if (error !== undefined) throw errorOf(error);
  if (omitted > 0) throw invalid();
}

function errorOf({ kind }: PathError): RestError {
  if (kind !== 'tooLarge') return invalid();
  const limit = { name: 'the maximum of bytes of a row or an attribute', value: MAX_PART };
  return new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit });
}

function invalid(cause?: unknown): RestError {
  return new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause });
}
