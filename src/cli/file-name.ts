import { parse } from 'content-disposition';

/** Bytes of a file name; most file systems allow 255, and `.part` has to go behind it. */
const LONGEST_NAME = 200;

/** Device names of Windows, whatever their ending. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/**
 * The name under which a file is saved: that of the answer (RFC 6266), made safe. It has no path, no control or format
 * characters and none that a file system refuses; it begins with neither a dot, which would hide it, nor a dash, which
 * commands take for an option; it is no device.
 *
 * @param disposition the value of the header Content-Disposition
 * @param otherwise the name where the answer has none
 */
export function fileNameOf(disposition: string | undefined, otherwise: string): string {
  const named = disposition === undefined ? '' : (parse(disposition).parameters.filename ?? '');
  return safeName(named) ?? safeName(otherwise) ?? 'download';
}

/** Private. */
function safeName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = base
    .replace(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]/gu, '_')
    .replace(/^[\s.-]+/, '')
    .replace(/[\s.]+$/, '');
  const short = shortened(plain);
  if (short === '') return undefined;
  return reserved.test(short) ? `_${short}` : short;
}

/** Private. A name that is too long loses the end of its first part, and keeps its ending. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  let stem = name.slice(0, name.length - ending.length);
  while (Buffer.byteLength(stem + ending) > LONGEST_NAME) stem = Array.from(stem).slice(0, -1).join('');
  return stem + ending;
}
