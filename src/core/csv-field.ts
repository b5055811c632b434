/** The columns before the metrics. An asset may have entries of several versions. */
export const LEADING_COLUMNS = ['asset_id', 'asset_name', 'asset_version', 'value_date'] as const;

/** A text as a field of CSV (RFC 4180, section 2). An empty text has quotation marks, because an empty field is null. */
export function csvField(text: string): string {
  if (text === '') return '""';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
