import type { PeriodUnit } from '../aggregates/periods.ts';

/** What a file can have: the rows as they are, or what is computed from them. */
export const fileKinds = ['rows', 'periods', 'statistics', 'byDate'] as const;
export type FileKind = (typeof fileKinds)[number];

/** What a file has that is computed from rows. Quantiles are numbers from 0 to 1, in the order of their columns. */
export type ComputedContents =
  | { readonly of: 'periods'; readonly every: PeriodUnit; readonly quantiles: readonly number[] }
  | { readonly of: 'statistics' | 'byDate'; readonly quantiles: readonly number[] };

/** What a file has. */
export type FileContents = { readonly of: 'rows' } | ComputedContents;
