import { parse } from 'content-disposition';
import { safeFileName } from '../../src/core/safe-file-name.ts';

/**
 * The name to save a file under: the sanitised name from the response (RFC 6266).
 *
 * @param disposition the value of the Content-Disposition header
 * @param otherwise the name if the response has none
 */
export function fileNameOf(disposition: string | undefined, otherwise: string): string {
  const named = disposition === undefined ? undefined : parse(disposition).parameters.filename;
  return safeFileName(named) ?? safeFileName(otherwise) ?? 'download';
}
