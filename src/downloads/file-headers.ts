import { create, parse } from 'content-disposition';
import type { FileFormat, FileKind, ResultsFile } from './results-file.ts';

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
  return shortened(`dataset-${datasetId.replace(/[^\w-]/g, '_')}`);
}

/** With the longest extension, a name stays below the limits of file systems. */
const MAX_STEM_BYTES = 180;
const extension = /\.[\w-]{1,20}$/;

/** Device names of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/**
 * A safe file name. It removes paths, invisible characters, characters that change the direction of writing, and characters
 * that file systems do not allow. The result is not hidden, not a command-line option, not a device and not too long.
 * Undefined if nothing is left.
 */
export function safeFileName(given: string | undefined): string | undefined {
  const name = given
    ?.toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    // Only the first of many dots is looked at, so that a name takes no time that is quadratic in its length.
    .replace(/^[-.\s]+|(?<![.\s])[.\s]+$/g, '');
  if (name === undefined || name === '') return undefined;
  const [end = ''] = extension.exec(name) ?? [];
  const safe = shortened(name.slice(0, name.length - end.length)) + end;
  return device.test(safe) ? `_${safe}` : safe;
}

/** The longest beginning of a text that fits into the name of a file. */
function shortened(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_STEM_BYTES) break;
    short += character;
  }
  return short;
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

/** The headers for a file of results. */
export function resultsFileHeaders(
  datasetId: string,
  { format, contents: { of } }: Pick<ResultsFile, 'format' | 'contents'>,
): Record<string, string> {
  const { mediaType, extension } = formats[format];
  const name = `${fileNameOf(datasetId)}-${names[of]}.${extension}`;
  return {
    'content-type': mediaType,
    'content-disposition': contentDisposition(name),
    'accept-ranges': 'none',
  };
}
