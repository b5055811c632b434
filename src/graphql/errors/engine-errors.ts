import type { PathError } from '../../../engine/index.ts';
import { RestError } from '../../rest/contract/rest-error.ts';
import { problemOf } from '../../rest/contract/results-errors.ts';
import { tooLarge, wrongType } from '../../rest/contract/wire.ts';
import { badUserInput, limitExceeded, workExceeded } from './errors.ts';

const TOO_MUCH_MEMORY =
  'What is written of one series, or computed of all, takes more memory than an operation has: select less, or get the results as a file (such as `rowsFile`).';

/** The error of a value that is null. @param limit the work limit, for the message of its error */
export function errorOfPart(part: PathError, limit: number): Error {
  const { kind, entry, message = '', origin } = part;
  const { error } = (origin ?? {}) as { readonly error?: Error };
  if (error !== undefined) return error;
  if (kind === 'invalidArgument') return badUserInput(message);
  if (kind === 'workExceeded') return workExceeded(limit);
  if (kind === 'memoryExceeded') return limitExceeded(TOO_MUCH_MEMORY);
  if (kind === 'tooLarge') return tooLarge;
  if (kind === 'limitExceeded') return limitExceeded(message);
  const problem = problemOf(part, entry);
  if (problem === undefined) return wrongType;
  const failure = kind === 'tooLargeRow' ? 'responseTooLarge' : 'invalidResponse';
  return new RestError('getDatasetResults', failure, { status: 200, problem });
}
