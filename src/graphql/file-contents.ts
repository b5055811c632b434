import type { FileContents, FileKind, FileLayout, PeriodUnit } from '../results/results.ts';
import { badUserInput } from './errors/errors.ts';
import { checkQuantiles } from './input.ts';

/** What a file has, as a client says it. Null means absent. */
export interface ContentsArguments {
  readonly of: FileKind;
  readonly layout: FileLayout;
  readonly every: PeriodUnit | null | undefined;
  readonly quantiles: readonly number[] | null | undefined;
}

/**
 * What a file has. Repeated quantiles count once, because each has a column.
 *
 * @throws GraphQLError BAD_USER_INPUT if an argument is missing, or does not fit what the file has; and as `checkQuantiles`
 */
export function toFileContents({ of, layout, every, quantiles }: ContentsArguments): FileContents {
  if (layout === 'wide' && of !== 'rows') throw badUserInput('Only a file of rows can be wide.');
  if (of !== 'periods' && isGiven(every)) throw badUserInput('Only a file of periods has "every".');
  if (of === 'rows' && isGiven(quantiles)) throw badUserInput('A file of rows has no quantiles.');
  if (of === 'rows') return { of };
  const given = quantiles ?? [];
  checkQuantiles(given);
  const each = [...new Set(given)];
  if (of !== 'periods') return { of, quantiles: each };
  if (!isGiven(every)) throw badUserInput('A file of periods needs "every".');
  return { of, every, quantiles: each };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** @throws GraphQLError BAD_USER_INPUT for a name that a URL cannot have */
export function checkMetricsInUrl(names: readonly string[] | undefined): void {
  if (names?.some((name) => !name.isWellFormed()))
    throw badUserInput('The URL of a file cannot have the name of a metric with a lone surrogate.');
}
