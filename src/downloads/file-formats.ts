import type { FileFormat } from '../results/results.ts';
import { attachment, fileNameOf } from './file-headers.ts';

/** The media type of each format. */
const mediaTypes: Readonly<Record<FileFormat, string>> = {
  // RFC 7111, section 2; RFC 4180, section 3.
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.file',
};

/** The headers for a file of results. */
export function resultsFileHeaders(datasetId: string, format: FileFormat): Record<string, string> {
  return {
    'content-type': mediaTypes[format],
    'content-disposition': attachment(`${fileNameOf(datasetId)}-results.${format}`),
    'accept-ranges': 'none',
  };
}
