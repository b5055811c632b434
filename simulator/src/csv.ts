/** A line of a CSV file: the text of each column by the column's name. */
export type CsvLine = Readonly<Record<string, string>>;

/**
 * Parses CSV without quoted fields.
 *
 * @throws Error when the columns differ from the expected ones, or a line has a different number of fields
 */
export function parseCsv(fileName: string, text: string, columns: readonly string[]): CsvLine[] {
  const [header, ...lines] = text.trimEnd().split(/\r?\n/);
  if (header !== columns.join(',')) {
    throw new Error(`${fileName}: the columns are "${header}", not "${columns.join(',')}".`);
  }
  return lines.map((line, row) => {
    const fields = line.split(',');
    if (fields.length !== columns.length || line.includes('"')) {
      throw new Error(`${fileName}, line ${row + 2}: not ${columns.length} plain fields.`);
    }
    return Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? '']));
  });
}
