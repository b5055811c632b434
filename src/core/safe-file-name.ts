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
  const safe = shortenedName(name.slice(0, name.length - end.length)) + end;
  return device.test(safe) ? `_${safe}` : safe;
}

/** The longest beginning of a text that fits into the name of a file. */
export function shortenedName(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_STEM_BYTES) break;
    short += character;
  }
  return short;
}
