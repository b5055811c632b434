import { parse } from 'content-disposition';
import { safeFileName } from '../downloads/file-name.ts';

/**
 * The name under which a file is saved: that of the answer (RFC 6266), made safe, whichever server has sent it.
 *
 * @param disposition the value of the header Content-Disposition
 * @param otherwise the name where the answer has none
 */
export function fileNameOf(disposition: string | undefined, otherwise: string): string {
  const named = disposition === undefined ? undefined : parse(disposition).parameters.filename;
  return safeFileName(named) ?? safeFileName(otherwise) ?? 'download';
}
