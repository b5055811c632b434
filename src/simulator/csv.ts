/** A line of a CSV file: the text of each column by its name. */
export type CsvLine = Readonly<Record<string, string>>;

/**
 * Reads CSV that has no quoted fields, as the demo data has not.
 *
 * Throws when the columns are not the expected ones, or a line has another number of them.
 */
export function parseCsv(fileName: string, text: string, columns: readonly string[]): CsvLine[] {
  const [header, ...lines] = text.trimEnd().split(/\r?\n/);
  if (header !== columns.join(',')) {
    throw new Error(`${fileName}: the columns are "${header}", not "${columns.join(',')}".`);
  }
  return lines.map((line, index) => {
    const fields = line.split(',');
    if (fields.length !== columns.length || line.includes('"')) {
      throw new Error(`${fileName}, line ${index + 2}: not ${columns.length} plain fields.`);
    }
    return Object.fromEntries(columns.map((column, place) => [column, fields[place] ?? '']));
  });
}
