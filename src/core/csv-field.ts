/** What spreadsheets take for the beginning of a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * A text as a field of CSV (RFC 4180, section 2). A spreadsheet would run a text that looks like a formula, and texts come
 * from other people; an apostrophe before it tells it not to.
 */
export function textField(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
