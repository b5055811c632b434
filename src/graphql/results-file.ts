import type { BearerAuthorization } from '../core/bearer-token.ts';
import type { ResultsFilter } from '../rest/contract/wire.ts';

/** The lengths of periods, from the shortest to the longest. */
export const periodUnits = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;
export type PeriodUnit = (typeof periodUnits)[number];

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

/** The formats of files. */
export const fileFormats = ['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** A file of results: which results, and how they look. */
export interface ResultsFile {
  readonly format: FileFormat;
  readonly contents: FileContents;
  /** The distinct names of the metrics; undefined for all. */
  readonly metrics: readonly string[] | undefined;
  readonly filter: ResultsFilter;
}

/** The URLs of files of this subgraph. */
export interface FileLinks {
  /** For a request with the client's token. */
  readonly resultsUrl: (datasetId: string, file: ResultsFile) => string;
  /**
   * With a ticket, for a file of results, or without `file` for that of a static dataset. The URL is undefined if the ticket
   * would be too long. Undefined if there are no tickets.
   */
  readonly ticketUrl:
    | ((datasetId: string, authorization: BearerAuthorization, file?: ResultsFile) => Promise<string | undefined>)
    | undefined;
}
