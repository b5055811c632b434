/** Together with the longest end of a name that counts as its extension, less than any file system allows. */
const MAX_STEM_BYTES = 180;
const extension = /\.[\w-]{1,20}$/;

/** Device names of Windows, whatever follows a dot. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/**
 * A file name that is one: without a path before it; without characters that cannot be seen, that turn the direction of
 * writing or that file systems refuse; not hidden, no option of a command, no device; not too long. Undefined where nothing
 * is left of it.
 */
export function safeFileName(given: string | undefined): string | undefined {
  const name = given
    ?.toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[-.\s]+|[.\s]+$/g, '');
  if (name === undefined || name === '') return undefined;
  const [end = ''] = extension.exec(name) ?? [];
  const safe = shortened(name.slice(0, name.length - end.length)) + end;
  return device.test(safe) ? `_${safe}` : safe;
}

/** The first characters of a text, so many that they have no more bytes than the name of a file may have. */
export function shortened(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_STEM_BYTES) break;
    short += character;
  }
  return short;
}
