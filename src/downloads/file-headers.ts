import { create, parse } from 'content-disposition';

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

const LONGEST_MEDIA_TYPE = 255;

const token = "[!#$%&'*+.^_`|~\\w-]+";
const quoted = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
/** RFC 9110, section 8.3.1. */
const mediaType = new RegExp(`^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`);

function isMediaType(text: string | undefined): text is string {
  return text !== undefined && text.length <= LONGEST_MEDIA_TYPE && mediaType.test(text);
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

/** Together with the longest end of a name that counts as its extension, less than any file system allows. */
const LONGEST_STEM_BYTES = 180;
const extension = /\.[\w-]{1,20}$/;

/**
 * A file name that is one: without a path before it; without characters that cannot be seen, that turn the direction of
 * writing or that file systems refuse; not hidden; not too long. Undefined where nothing is left of it.
 */
function safeFileName(given: string | undefined): string | undefined {
  const name = given
    ?.toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  if (name === undefined || name === '') return undefined;
  const [end = ''] = extension.exec(name) ?? [];
  return shortened(name.slice(0, name.length - end.length)) + end;
}

/** The first characters of a text, so many that they have no more bytes than may be. */
function shortened(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > LONGEST_STEM_BYTES) break;
    short += character;
  }
  return short;
}

/** The name of a file that the service gives no usable one. */
function fileNameOf(datasetId: string): string {
  return shortened(`dataset-${datasetId.replace(/[^\w-]/g, '_')}`);
}
