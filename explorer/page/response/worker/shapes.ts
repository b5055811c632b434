import { timeOf, WHOLE_TIME } from './dates.ts';

/** The fields of an object in a response. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object's fields; undefined for any other value. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The rows of one asset, column by column. */
export interface Table {
  /** The date of each row, as the service sends it. */
  readonly dates: readonly (string | null)[];
  /** The values of each metric, one for each row; NaN for a missing value. */
  readonly columns: ReadonlyMap<string, Float64Array<ArrayBuffer>>;
  readonly isRows: boolean;
  /** Whether the dates are those of the service; otherwise rows are numbered. */
  readonly hasDates: boolean;
  /** The number of values that `columns` omits, because their metric has the name of one before it. */
  readonly omittedCount: number;
}

/** The name of a metric without one. */
const NAMELESS = 'value';

/** Reads rows in either form of the API; undefined for any other value. */
export function tableOf(value: unknown): Table | undefined {
  if (Array.isArray(value)) return tableOfRows(value);
  const fields = fieldsOf(value);
  return fields && tableOfColumns(fields);
}

const isNumber = (value: unknown): value is number | null => value === null || typeof value === 'number';
const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

function isListOfNumbers(value: unknown): value is (number | null)[] {
  return Array.isArray(value) && value.every(isNumber);
}

/** `{ valueDates metrics { name values } }`, under any aliases; the dates are optional. */
function tableOfColumns(fields: Fields): Table | undefined {
  const lists = Object.values(fields).filter(Array.isArray);
  const found = lists.find((list) => list.length > 0 && list.every((item) => columnOf(item) !== undefined));
  if (found === undefined) return undefined;
  const read = found.map((item) => columnOf(item) as [string, (number | null)[]]);
  const count = Math.max(...read.map(([, values]) => values.length));
  const ownDates = lists.find((list) => list !== found && list.every(isText));
  const dates = ownDates ?? numbersUpTo(count);
  const columns = new Map<string, Float64Array<ArrayBuffer>>();
  let omittedCount = 0;
  for (const [name, values] of read) {
    if (columns.has(name)) {
      omittedCount += values.filter((value) => value !== null).length;
      continue;
    }
    const column = missing(dates.length);
    for (let row = 0; row < dates.length; row++) column[row] = values[row] ?? Number.NaN;
    columns.set(name, column);
  }
  return { dates, columns, isRows: false, hasDates: ownDates !== undefined, omittedCount };
}

function columnOf(value: unknown): [name: string, values: (number | null)[]] | undefined {
  const parts = Object.values(fieldsOf(value) ?? {});
  const values = parts.find(isListOfNumbers);
  if (values === undefined) return undefined;
  return [parts.find((part) => typeof part === 'string') ?? NAMELESS, values];
}

function numbersUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}

function missing(count: number): Float64Array<ArrayBuffer> {
  return new Float64Array(count).fill(Number.NaN);
}

/** The kinds of values that a field has in all objects of a list. */
type Kind = 'text' | 'number' | 'list' | 'null' | 'other';

function kindOf(objects: readonly Fields[], key: string): Kind {
  let kind: Kind = 'null';
  for (const object of objects) {
    const value = object[key];
    if (value === null) continue;
    const own: Kind =
      typeof value === 'string'
        ? 'text'
        : typeof value === 'number'
          ? 'number'
          : Array.isArray(value)
            ? 'list'
            : 'other';
    if (own === 'other' || (kind !== 'null' && kind !== own)) return 'other';
    kind = own;
  }
  return kind;
}

/** The keys of all objects of a list by their kind. All have the same keys, because they have the same selection. */
function keysByKind(objects: readonly Fields[]): Record<Kind, string[]> {
  const keys: Record<Kind, string[]> = { text: [], number: [], list: [], null: [], other: [] };
  for (const key of Object.keys(objects[0] ?? {})) if (key !== '__typename') keys[kindOf(objects, key)].push(key);
  return keys;
}

/**
 * `[{ valueDate metrics { name value } }]` under any aliases, or `[{ valueDate value(metric:) }]`. With `metrics` the dates
 * are optional.
 */
function tableOfRows(list: readonly unknown[]): Table | undefined {
  if (list.length === 0 || !list.every((item) => fieldsOf(item) !== undefined)) return undefined;
  const rows = list as readonly Fields[];
  const { text, number, list: lists, null: nulls, other } = keysByKind(rows);
  const keys = [...text, ...number, ...nulls, ...lists, ...other];
  if (keys.join() === 'name,mean') return tableOfMeans(rows);
  if (other.length > 0 || text.length > 1 || lists.length > 1) return undefined;
  const [dateKey = nulls.find((key) => key === 'valueDate')] = text;
  const [metricsKey] = lists;
  const found =
    metricsKey === undefined
      ? columnsOfValues(rows, dateKey, [...number, ...nulls.filter((key) => key !== dateKey)])
      : columnsOfMetrics(rows, metricsKey);
  if (found === undefined || found.columns.size === 0) return undefined;
  const dates = dateKey === undefined ? numbersUpTo(rows.length) : rows.map((row) => row[dateKey] as string | null);
  return { dates, ...found, isRows: true, hasDates: dateKey !== undefined };
}

/** `[{ name mean }]`: the statistics of an asset are one row. */
function tableOfMeans(metrics: readonly Fields[]): Table {
  const columns = new Map(
    metrics.map(({ name, mean }) => [String(name), Float64Array.of((mean as number | null) ?? Number.NaN)]),
  );
  return { dates: [WHOLE_TIME], columns, isRows: false, hasDates: false, omittedCount: 0 };
}

type Columns = Pick<Table, 'columns' | 'omittedCount'>;

function columnsOfValues(rows: readonly Fields[], dateKey: string | undefined, keys: readonly string[]) {
  if (dateKey === undefined || !isDate(dateKey, rows)) return undefined;
  const valuesOf = (key: string) => Float64Array.from(rows, (row) => (row[key] as number | null) ?? Number.NaN);
  return { columns: new Map(keys.map((key) => [key, valuesOf(key)])), omittedCount: 0 };
}

function columnsOfMetrics(rows: readonly Fields[], metricsKey: string): Columns | undefined {
  const listOf = (row: Fields) => (row[metricsKey] ?? []) as readonly Fields[];
  if (!rows.every((row) => listOf(row).every((metric) => fieldsOf(metric) !== undefined))) return undefined;
  const { text, number, list, null: nulls, other } = keysByKind(rows.flatMap(listOf));
  if (other.length > 0 || list.length > 0 || text.length > 1 || number.length + nulls.length !== 1) return undefined;
  const [nameKey] = text;
  const [valueKey = ''] = [...number, ...nulls];
  // A row with a date and one number has the same shape.
  if (nameKey !== undefined && isDate(nameKey, rows.flatMap(listOf))) return undefined;
  const nameOf = (metric: Fields) =>
    (nameKey === undefined ? undefined : (metric[nameKey] as string | null)) ?? NAMELESS;
  const columns = new Map<string, Float64Array<ArrayBuffer>>();
  let omittedCount = 0;
  rows.forEach((row, index) => {
    const metrics = listOf(row);
    for (let position = 0; position < metrics.length; position++) {
      const metric = metrics[position] as Fields;
      const name = nameOf(metric);
      let column = columns.get(name);
      if (column === undefined) {
        column = missing(rows.length);
        columns.set(name, column);
      }
      // If a row repeats a metric, the first applies, as in the columns of the API.
      const value = metric[valueKey] as number | null;
      if (!repeats(metrics, position, nameOf)) column[index] = value ?? Number.NaN;
      else if (value !== null) omittedCount++;
    }
  });
  return { columns, omittedCount };
}

/** Whether a metric before this one has the same name. */
function repeats(metrics: readonly Fields[], position: number, nameOf: (metric: Fields) => string): boolean {
  const name = nameOf(metrics[position] ?? {});
  for (let before = 0; before < position; before++) if (nameOf(metrics[before] ?? {}) === name) return true;
  return false;
}

/** The fields that are texts and no dates, whatever their values look like. */
const noDates = ['id', 'assetId', 'name', 'version'];

/** Whether a field is a date: by its name; under an alias, by its values. Digits alone may be an id. */
function isDate(key: string, objects: readonly Fields[]): boolean {
  if (key === 'valueDate' || noDates.includes(key)) return key === 'valueDate';
  const texts = objects.map((object) => object[key]).filter((text) => typeof text === 'string');
  return texts.length > 0 && texts.every((text) => /\D/.test(text) && timeOf(text) !== undefined);
}
