import type { PeriodUnit } from '../aggregates/periods.ts';

/** What a file can have: the rows as they are, or what is computed from them. */
export const fileKinds = ['rows', 'periods', 'statistics', 'byDate'] as const;
export type FileKind = (typeof fileKinds)[number];

/** `long`: a row for each metric of each date. `wide`: a row for each date, with a column for each metric. */
export const fileLayouts = ['long', 'wide'] as const;
export type FileLayout = (typeof fileLayouts)[number];

/** What a file has that is computed from rows. Quantiles are distinct numbers from 0 to 1, in the order of their columns. */
export type ComputedContents = { readonly quantiles: readonly number[] } & (
  | { readonly of: 'periods'; readonly every: PeriodUnit }
  | { readonly of: 'statistics' }
  | { readonly of: 'byDate' }
);

/** What a file has. */
export type FileContents = { readonly of: 'rows'; readonly layout: FileLayout } | ComputedContents;
