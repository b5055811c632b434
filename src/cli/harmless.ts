/**
 * What can change more of a terminal than the place where it stands: control characters (C0, DEL and C1, which begin
 * escape sequences), format characters (the bidirectional ones among them), separators of lines and of paragraphs, and
 * halves of surrogate pairs. The two joiners stay: Indic and Arabic scripts and emoji cannot be written without them.
 */
const harmful = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

/** A text of somebody else, as one line that can do nothing to a terminal. */
export function harmless(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(harmful, '\ufffd');
}

/** The same for JSON, which stays the same value: escaped, but for the white space between its tokens. */
export function harmlessJson(json: string): string {
  return json.replace(harmful, (character) =>
    '\t\n\r'.includes(character)
      ? character
      : Array.from({ length: character.length }, (_, unit) => escaped(character.charCodeAt(unit))).join(''),
  );
}

/** Private. */
function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
