/** The values of one metric, one for each row; null for a missing value. */
export interface Column {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** The rows of one asset, column by column. */
export interface AssetRows {
  /** The asset's name; empty if the response has none. */
  readonly asset: string;
  /** The date of each row, as the service sends it. */
  readonly dates: readonly (string | null)[];
  readonly columns: readonly Column[];
}

/** The location of an asset, in degrees. */
export interface Place {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The drawable data of one dataset in a response. */
export interface Plot {
  readonly title: string;
  readonly rows: readonly AssetRows[];
  readonly places: readonly Place[];
}

/** A download link in the response. */
export interface Download {
  readonly name: string;
  readonly url: string;
}

/** Everything in a response that the pane can show. */
export interface Findings {
  readonly plots: readonly Plot[];
  readonly downloads: readonly Download[];
}

/**
 * Finds drawable data in the response of any operation. It recognises data by its shape, because aliases may rename fields.
 *
 * @param response parsed JSON
 * @param origin the page's origin: links to other origins are ignored
 */
export function findPlots(response: unknown, origin: string): Findings {
  const found = Object.entries(fieldsOf(fieldsOf(response)?.data) ?? {}).flatMap(([key, value]) =>
    [value].flat().map((dataset) => findInDataset(key, dataset, origin)),
  );
  return {
    plots: found.map(({ plot }) => plot).filter(({ rows, places }) => rows.length > 0 || places.length > 0),
    downloads: found.flatMap(({ downloads }) => downloads),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function findInDataset(key: string, dataset: unknown, origin: string): { plot: Plot; downloads: Download[] } {
  const rows: AssetRows[] = [];
  const places = new Map<string, Place>();
  const downloads: Download[] = [];
  const title = nameOf(dataset) ?? key;
  /** `asset` is the name of the closest asset that contains `value`. */
  const visit = (value: unknown, asset: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, asset);
      return;
    }
    const fields = fieldsOf(value);
    if (fields === undefined) {
      if (typeof value === 'string' && isDownload(value, origin)) downloads.push({ name: title, url: value });
      return;
    }
    const place = placeOf(fields, asset);
    if (place !== undefined) places.set(JSON.stringify(place), place);
    const own = (value === dataset ? undefined : nameOf(fields)) ?? asset;
    for (const child of Object.values(fields)) {
      const table = tableOf(child);
      if (table === undefined) visit(child, own);
      // The asset is a sibling or an ancestor of its rows.
      else
        rows.push({
          ...table,
          asset:
            Object.values(fields)
              .map(nameOf)
              .find((name) => name !== undefined) ?? own,
        });
    }
  };
  visit(dataset, '');
  return { plot: { title, rows, places: [...places.values()] }, downloads };
}

/** The name or the id of a dataset or an asset. */
function nameOf(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  return [fields?.name, fields?.assetId, fields?.id].find((name) => typeof name === 'string');
}

type Table = Omit<AssetRows, 'asset'>;

/** Reads rows in either form of the API; undefined for any other value. */
function tableOf(value: unknown): Table | undefined {
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
  const columns = lists.find((list) => list.length > 0 && list.every((item) => columnOf(item) !== undefined));
  if (columns === undefined) return undefined;
  const read: Column[] = columns.map((item) => columnOf(item) as Column);
  const count = Math.max(...read.map(({ values }) => values.length));
  const dates = lists.find((list) => list !== columns && list.every(isText)) ?? numbersUpTo(count);
  return { dates, columns: read };
}

function columnOf(value: unknown): Column | undefined {
  const parts = Object.values(fieldsOf(value) ?? {});
  const values = parts.find(isListOfNumbers);
  if (values === undefined) return undefined;
  return { name: parts.find((part) => typeof part === 'string') ?? 'value', values };
}

function numbersUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}

/**
 * `[{ valueDate metrics { name value } }]` under any aliases, or `[{ valueDate value(metric:) }]`. With `metrics` the dates
 * are optional.
 */
function tableOfRows(list: readonly unknown[]): Table | undefined {
  const rows = list.map((item) => rowOf(fieldsOf(item)));
  if (rows.length === 0 || !rows.every((row) => row !== undefined)) return undefined;
  if (rows.every(({ values }) => values.size === 0)) return undefined;
  const names = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  return {
    dates: rows.some(({ date }) => date !== null) ? rows.map(({ date }) => date) : numbersUpTo(rows.length),
    columns: names.map((name) => ({ name, values: rows.map(({ values }) => values.get(name) ?? null) })),
  };
}

interface Row {
  readonly date: string | null;
  readonly values: ReadonlyMap<string, number | null>;
}

function rowOf(fields: Fields | undefined): Row | undefined {
  const entries = scalarsAndLists(fields);
  if (entries === undefined) return undefined;
  const texts = entries.filter(([, value]) => typeof value === 'string');
  if (texts.length > 1) return undefined;
  const [dateKey = 'valueDate', date = null] = (texts[0] ?? []) as [string?, string?];
  const metrics = entries.map(([, value]) => value).find(Array.isArray);
  if (metrics !== undefined) {
    const read = metrics.map(metricOf);
    if (!read.every((metric) => metric !== undefined)) return undefined;
    // If a row repeats a metric, the first applies, as in the columns of the API.
    const values = new Map<string, number | null>();
    for (const [name, value] of read) if (!values.has(name)) values.set(name, value);
    return { date, values };
  }
  const others = entries.filter(([key]) => key !== dateKey);
  if (!isDate(dateKey, date) || !others.every(([, value]) => isNumber(value))) return undefined;
  return { date, values: new Map(others as [string, number | null][]) };
}

/** Rows and metrics contain no objects. */
function scalarsAndLists(fields: Fields | undefined): [string, unknown][] | undefined {
  const entries = Object.entries(fields ?? {}).filter(([key]) => key !== '__typename');
  return fields === undefined || entries.some(([, value]) => fieldsOf(value)) ? undefined : entries;
}

function isDate(key: string, text: string | null): boolean {
  return key === 'valueDate' || (text !== null && timeOf(text) !== undefined);
}

function metricOf(value: unknown): [name: string, value: number | null] | undefined {
  const parts = scalarsAndLists(fieldsOf(value)) ?? [];
  const [nameKey, name = 'value'] = (parts.find(([, part]) => typeof part === 'string') ?? []) as [string?, string?];
  const numbers = parts.filter(([key, part]) => key !== nameKey && isNumber(part));
  // A row with a date and one number has the same shape.
  if (numbers.length !== 1 || (nameKey !== undefined && isDate(nameKey, name))) return undefined;
  return [name, numbers[0]?.[1] as number | null];
}

function placeOf(fields: Fields, name: string): Place | undefined {
  const numberAt = (pattern: RegExp) => Object.entries(fields).find(([key]) => pattern.test(key))?.[1];
  const latitude = numberAt(/^lat/i);
  const longitude = numberAt(/^(lon|lng)/i);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { name, latitude, longitude } : undefined;
}

function isDownload(text: string, origin: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === origin && url.pathname.startsWith('/download/');
}

const isoDate = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/**
 * The time of a date in ISO 8601 with a leading year, in milliseconds since 1970 in UTC; undefined for any other text. The
 * service does not document the format of its dates.
 */
export function timeOf(date: string): number | undefined {
  const parts = isoDate.exec(date);
  if (parts === null) return undefined;
  const [, , , clock, , , offset] = parts;
  // Without an offset JavaScript would use local time.
  const time = Date.parse(clock !== undefined && offset === undefined ? `${date}Z` : date);
  return Number.isNaN(time) ? undefined : time;
}
