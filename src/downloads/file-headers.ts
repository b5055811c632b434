import { create, parse } from 'content-disposition';
import { safeFileName, shortened } from './file-name.ts';

/** The description of a file by the service. */
export interface FileDescription {
  readonly contentType: string | undefined;
  /** One character for each byte. */
  readonly contentDisposition: string | undefined;
  readonly contentLength: number | undefined;
}

/** The headers for a file. Only safe values of the service are passed on. */
export function fileHeaders(file: FileDescription, datasetId: string): Record<string, string> {
  const { contentType, contentDisposition, contentLength } = file;
  return {
    'content-type': isMediaType(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': attachment(safeFileName(fileNameIn(contentDisposition)) ?? fileNameOf(datasetId)),
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
export function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]/gu, '_');
  return create(fileName, { fallback: ascii === fileName ? true : ascii });
}

function fileNameIn(contentDisposition: string | undefined): string | undefined {
  const { filename } = contentDisposition === undefined ? {} : parse(contentDisposition).parameters;
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
export function fileNameOf(datasetId: string): string {
  return shortened(`dataset-${datasetId.replace(/[^\w-]/g, '_')}`);
}
