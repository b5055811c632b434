import type { GraphQLError } from 'graphql';
import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import type { ResultsFileFormat, ResultsFileLayout } from '../../generated/schema.ts';
import type { OperationContext } from '../context.ts';
import { limitExceeded } from '../errors/errors.ts';
import { checkMetricsInUrl, distinctNames, distinctQuantiles } from '../input.ts';
import type { DatasetDownloadModel, DatasetResultsModel } from '../models.ts';
import type { FileContents, FileFormat, FileLayout, ResultsFile } from '../results-file.ts';

const formats: Readonly<Record<ResultsFileFormat, FileFormat>> = {
  CSV: 'csv',
  CSV_SPREADSHEET: 'csv_spreadsheet',
  NDJSON: 'ndjson',
  PARQUET: 'parquet',
  ARROW: 'arrow',
};
const layouts: Readonly<Record<ResultsFileLayout, FileLayout>> = { LONG: 'long', WIDE: 'wide' };

/** A longer URL would not fit into the headers of a request, which may have 32 kB. */
export const MAX_FILE_URL_LENGTH = 14_000;

export function urlTooLong(): GraphQLError {
  return limitExceeded('The asset ids and metrics are too many for the URL of a file.');
}

/** The number of characters of a file's asset ids and metrics, or a number above that of any URL. */
function charactersIn({ metrics = [], filter: { assetIds = [] } }: ResultsFile): number {
  let characters = 0;
  for (const texts of [assetIds, metrics]) {
    for (const text of texts) {
      characters += text.length;
      if (characters > MAX_FILE_URL_LENGTH) return characters;
    }
  }
  return characters;
}

/** The arguments of each file. */
interface FileArguments {
  readonly format: ResultsFileFormat;
  readonly metrics?: readonly string[] | null | undefined;
}

/** @throws GraphQLError for metrics that the URL of a file cannot have */
function fileOf(
  { datasetId, filter }: DatasetResultsModel,
  { format, metrics: names }: FileArguments,
  contents: FileContents,
  { budget }: OperationContext,
): DatasetDownloadModel {
  const metrics = distinctNames(names);
  const file: ResultsFile = { format: formats[format], contents, metrics, filter };
  // Before a URL is made, which takes the longer the more ids there are.
  const characters = charactersIn(file);
  if (characters > MAX_FILE_URL_LENGTH) throw urlTooLong();
  budget.spendText(characters, 1);
  checkMetricsInUrl(metrics);
  return { datasetId, file };
}

/** The files of results. They need no call: a file is made when it is downloaded. */
export const resultsFiles: Pick<
  DatasetResultsResolvers,
  'rowsFile' | 'seriesPeriodsFile' | 'seriesStatisticsFile' | 'byDateFile'
> = {
  rowsFile: (model, { layout, ...args }, context) =>
    fileOf(model, args, { of: 'rows', layout: layouts[layout] }, context),
  seriesPeriodsFile: (model, { every, quantiles, ...args }, context) =>
    fileOf(model, args, { of: 'periods', every, quantiles: distinctQuantiles(quantiles) }, context),
  seriesStatisticsFile: (model, { quantiles, ...args }, context) =>
    fileOf(model, args, { of: 'statistics', quantiles: distinctQuantiles(quantiles) }, context),
  byDateFile: (model, { quantiles, ...args }, context) =>
    fileOf(model, args, { of: 'byDate', quantiles: distinctQuantiles(quantiles) }, context),
};
