import {
  type AskedOfResults,
  BodyError,
  drive,
  open,
  type PathError,
  type Reader,
  Selection,
} from '../engine/index.ts';
import { acquireWorkspace, releaseWorkspace } from '../src/core/buffer-pool.ts';
import { EventLoopYielder } from '../src/core/event-loop.ts';
import type { GrowingMemory } from '../src/rest/admission/growing-memory.ts';
import { invalidResults, problemOf } from '../src/rest/contract/results-errors.ts';
import { MAX_PART_BYTES, tooLarge } from '../src/rest/contract/wire.ts';
import type { ResultsBody } from './results-body.ts';

/** The memory of a reader of usual results, which the operation has reserved. */
export const READER_BYTES: number = 2 << 20;

/**
 * Reads results, and yields what is made of each entry. A piece belongs to the caller until it asks for the next one.
 *
 * A file cannot say that something is missing or wrong. So everything that is an error in a GraphQL response ends it: an asset without an id,
 * an entry that is no object, a value of another type, a number that is not finite, and an `assets` that is repeated or no list.
 *
 * @param held the memory of the reader. It belongs to the caller, who releases it
 * @param errorOfLimit makes the error of more than something that is computed may have
 * @throws RestError for results that are not what the service must send, that error, and what their body throws
 */
export async function* readResults(
  body: ResultsBody,
  asked: AskedOfResults,
  { held, errorOfLimit }: { readonly held: GrowingMemory; readonly errorOfLimit: ErrorOfLimit },
): AsyncGenerator<Buffer, void> {
  const yielder = new EventLoopYielder();
  const workspace = acquireWorkspace();
  const limits = { work: Number.POSITIVE_INFINITY, reserved: READER_BYTES, part: MAX_PART_BYTES };
  const reader = open(new Selection({ ...asked, isPlain: true }), limits, {}, workspace);
  const waits = {
    reserve: (bytes: number) => held.growBy(bytes),
    turn: () => (yielder.isDue() ? yielder.pause() : undefined),
  };
  try {
    for await (const piece of drive(reader, [body.chunks()], waits)) {
      check(reader, errorOfLimit);
      yield piece;
    }
    check(reader, errorOfLimit);
  } catch (error) {
    throw error instanceof BodyError ? invalidResults({ cause: error }) : error;
  } finally {
    reader.close();
    releaseWorkspace(workspace);
  }
}

/** Makes the error of a limit, with this message. */
export type ErrorOfLimit = (message: string) => Error;

/** @throws RestError, or the error of a limit, if there is an error in what was read */
function check({ errors: [error], head: { omitted } }: Reader, errorOfLimit: ErrorOfLimit): void {
  if (error !== undefined) throw errorOf(error, errorOfLimit);
  if (omitted > 0) throw invalidResults();
}

function errorOf(error: PathError, errorOfLimit: ErrorOfLimit): Error {
  const { kind, entry, message = '', path } = error;
  if (kind === 'limitExceeded') return errorOfLimit(message);
  if (kind === 'tooLarge') return tooLarge;
  const problem = problemOf(error, typeof path[0] === 'number' ? path[0] : entry);
  return invalidResults(problem === undefined ? {} : { problem });
}
