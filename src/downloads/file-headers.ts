import { create, parse } from 'content-disposition';
import { safeFileName, shortened } from './file-name.ts';

/** What the service says of a file, as far as it says it. */
export interface FileDescription {
  readonly contentType: string | undefined;
  /** A character for each byte. */
  readonly contentDisposition: string | undefined;
  readonly contentLength: number | undefined;
}

/** The headers that tell a caller of a file; of what the service has sent, only what is safe to pass on. */
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

/** A header that always saves the file, under its name in ASCII and as it is (RFC 6266, appendix D). */
function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]/gu, '_');
  return create(fileName, { fallback: ascii === fileName ? true : ascii });
}

function fileNameIn(contentDisposition: string | undefined): string | undefined {
  const { filename } = contentDisposition === undefined ? {} : parse(contentDisposition).parameters;
  return filename === undefined ? undefined : readAsUtf8(filename);
}

/** Many services send the bytes of UTF-8 where a header has only characters of one byte. */
function readAsUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

/** The name of a file that the service gives no usable one. */
function fileNameOf(datasetId: string): string {
  return shortened(`dataset-${datasetId.replace(/[^\w-]/g, '_')}`);
}
