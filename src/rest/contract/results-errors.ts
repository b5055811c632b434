import { BodyError, type PathError } from '../../../engine/index.ts';
import { RestError } from './rest-error.ts';
import { unknownObject } from './wire.ts';

/** What is wrong with a row of which something is computed. */
const problems: Readonly<Partial<Record<PathError['kind'], string>>> = {
  wrongDate: 'has a date of a wrong type',
  wrongMetrics: 'has a list of metrics of a wrong type',
  wrongValue: 'has a value of a wrong type',
  noDate: 'has no date',
  unreadableDate: 'has a date that cannot be read',
  tooLargeRow: 'is too large',
};

/** What is wrong with the row that is to blame for an error. Undefined if there is none. @param series the index of its series */
export function problemOf({ kind, row }: PathError, series: number | undefined): string | undefined {
  const problem = problems[kind];
  if (problem === undefined || row === undefined) return undefined;
  return `row ${row}${series === undefined ? '' : ` of series ${series}`} ${problem}`;
}

/** A response is not what the service must send. @param details what the engine has thrown, or what is wrong */
export function invalidResults(details: { readonly cause?: unknown; readonly problem?: string } = {}): RestError {
  const { cause } = details;
  if (cause instanceof BodyError && cause.kind === 'unknown') return unknownObject('getDatasetResults');
  return new RestError('getDatasetResults', 'invalidResponse', { status: 200, ...details });
}
