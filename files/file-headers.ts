import { hash } from 'node:crypto';
import { create, parse } from 'content-disposition';
import { safeFileName, shortenedName } from '../src/core/safe-file-name.ts';
import type { FileFormat, FileKind, ResultsFile } from '../src/graphql/results-file.ts';

/** The description of a file by the service. */
export interface FileDescription {
  readonly contentType: string | undefined;
  /** One character for each byte. */
  readonly contentDisposition: string | undefined;
  readonly contentLength: number | undefined;
}

/** The headers for a file. Only safe values of the service are passed on. */
export function fileHeaders(file: FileDescription, datasetId: string): Record<string, string> {
  const { contentType, contentLength } = file;
  return {
    'content-type': isMediaType(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': contentDisposition(
      safeFileName(fileNameIn(file.contentDisposition)) ?? fileNameOf(datasetId),
    ),
    ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
  };
}

const MAX_MEDIA_TYPE_LENGTH = 255;

const token = "[!#$%&'*+.^_`|~\\w-]+";
const quoted = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
/** RFC 9110, section 8.3.1. */
const mediaType = new RegExp(`^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`);

function isMediaType(text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_MEDIA_TYPE_LENGTH && mediaType.test(text);
}

/** A header that makes browsers save the file, with its name and an ASCII fallback (RFC 6266, appendix D). */
function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]/gu, '_');
  return create(fileName, { fallback: ascii === fileName ? true : ascii });
}

function fileNameIn(given: string | undefined): string | undefined {
  const { filename } = given === undefined ? {} : parse(given).parameters;
  return filename === undefined ? undefined : readAsUtf8(filename);
}

/** Many services send raw UTF-8 bytes in the header. */
function readAsUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

/** The name of a file if the service sends no valid one. */
function fileNameOf(datasetId: string): string {
  return shortenedName(`dataset-${datasetId.replace(/[^\w-]/g, '_')}`);
}

// RFC 7111, section 2; RFC 4180, section 3.
const csv = { mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv' };

/** The media type of each format, and the extension of its names. */
const formats: Readonly<Record<FileFormat, { readonly mediaType: string; readonly extension: string }>> = {
  csv,
  csv_spreadsheet: csv,
  ndjson: { mediaType: 'application/x-ndjson', extension: 'ndjson' },
  parquet: { mediaType: 'application/vnd.apache.parquet', extension: 'parquet' },
  arrow: { mediaType: 'application/vnd.apache.arrow.file', extension: 'arrow' },
};

/** What the name of a file says of its contents. */
const names: Readonly<Record<FileKind, string>> = {
  rows: 'results',
  periods: 'periods',
  statistics: 'statistics',
  byDate: 'by-date',
};

/** The characters of a digest in the name of a file. */
const DIGEST_LENGTH = 8;

/**
 * The headers for a file of results. Its name ends with a digest of its dataset and its query: files of other results, or in
 * another format, have other names.
 *
 * @param query the query of its URL
 */
export function resultsFileHeaders(
  datasetId: string,
  { format, contents: { of } }: Pick<ResultsFile, 'format' | 'contents'>,
  query: string,
): Record<string, string> {
  const { mediaType, extension } = formats[format];
  const digest = hash('sha256', `${datasetId}?${query}`).slice(0, DIGEST_LENGTH);
  const name = `${fileNameOf(datasetId)}-${names[of]}-${digest}.${extension}`;
  return {
    'content-type': mediaType,
    'content-disposition': contentDisposition(name),
    'accept-ranges': 'none',
  };
}
