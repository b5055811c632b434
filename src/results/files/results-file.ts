import type { ResultsFilter } from '../../rest/results-filter.ts';

/** The formats of files. */
export const fileFormats = ['csv', 'ndjson', 'parquet', 'arrow'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** `long`: a row for each metric of each date. `wide`: a row for each date, with a column for each metric. */
export const fileLayouts = ['long', 'wide'] as const;
export type FileLayout = (typeof fileLayouts)[number];

/** A file of results: which results, and how they look. */
export interface ResultsFile {
  readonly format: FileFormat;
  readonly layout: FileLayout;
  readonly filter: ResultsFilter;
}
