/**
 * Characters that can affect a terminal beyond their own cell: control characters (C0, DEL and C1, which begin escape
 * sequences), format characters (including bidirectional ones), line and paragraph separators, and lone surrogates. The
 * two joiners are allowed, because Indic and Arabic scripts and emoji need them.
 */
const harmful = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Untrusted text as one line that is safe in a terminal. */
export function sanitizeForTerminal(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(harmful, '\ufffd');
}

/** The same for JSON: escapes these characters, so that the value stays the same. Whitespace between tokens stays. */
export function harmlessJson(json: string): string {
  return json.replace(harmful, (character) =>
    '\t\n\r'.includes(character)
      ? character
      : Array.from({ length: character.length }, (_, unit) => escaped(character.charCodeAt(unit))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
