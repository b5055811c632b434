/** The columns before the metrics. An asset may have entries of several versions. */
export const LEADING_COLUMNS = ['asset_id', 'asset_name', 'asset_version', 'value_date'] as const;

/** A text as a field of CSV (RFC 4180, section 2). An empty text has quotation marks, because an empty field is null. */
export function csvField(text: string): string {
  if (text === '') return '""';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets read a text that starts like this as a formula, in East Asian languages also with full-width signs. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * The same for a spreadsheet. Texts come from other people, and a spreadsheet would run one that looks like a formula. An
 * apostrophe before it prevents that.
 */
export function spreadsheetField(text: string): string {
  return csvField(formula.test(text) ? `'${text}` : text);
}
