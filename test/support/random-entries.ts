import { Dice } from './fast-path-json.ts';

/** Random entries of a few assets, several of some, with all kinds of versions, rows and dates, and some wrong types. */

/** A value of a wrong type. */
const WRONG = 'wrong';

export interface Metric {
  name?: unknown;
  value?: unknown;
}
export interface Row {
  value_date?: unknown;
  metrics?: Metric[] | typeof WRONG | null;
}
export interface Entry {
  asset_id: string;
  asset_name?: string;
  asset_version?: unknown;
  results?: Row[] | typeof WRONG | null;
}

export const ASSETS = ['a', 'b', 'c', 'd'];

const DAYS = ['2024-03-01', '2024-03-02', '2024-02-29', '1999-12-31'];
/** The same instant in other words. */
const forms = ['', 'T00:00:00Z', ' 00:00:00', 'T01:00:00+01:00', 't00:00:00.000z'];

/** How much of a body is odd: one value in so many. */
interface Oddness {
  readonly wrong: number;
  readonly absent: number;
}

function metric(dice: Dice, { wrong, absent }: Oddness): Metric {
  const name = dice.oneIn(absent)
    ? dice.of([null, undefined])
    : dice.oneIn(wrong)
      ? false
      : dice.of(['m', 'n', 'ö', 'p']);
  const value = dice.oneIn(absent) ? dice.of([null, undefined]) : dice.oneIn(wrong) ? WRONG : dice.below(100) - 50;
  return { name, value };
}

function row(dice: Dice, odd: Oddness, days: number): Row {
  const day = dice.below(days);
  const date = `${DAYS[day]}${dice.oneIn(3) ? dice.of(forms) : ''}`;
  const given = dice.oneIn(odd.wrong) ? dice.of(['', 'day 2', false]) : date;
  return {
    value_date: dice.oneIn(odd.absent) ? dice.of([null, undefined]) : given,
    metrics: dice.oneIn(odd.absent * 2)
      ? dice.of([null, undefined])
      : dice.oneIn(odd.wrong)
        ? WRONG
        : Array.from({ length: dice.below(4) }, () => metric(dice, odd)),
  } as Row;
}

/** Rows in an entry are few; sometimes they fill several batches. */
const LENGTHS = [0, 1, 1, 2, 3, 5, 8];
const MANY = 600;

function entry(dice: Dice, odd: Oddness, index: number): Entry {
  const version = dice.of<unknown>([1, 1, 1, 2, 2, null, undefined, -1, dice.oneIn(4) ? WRONG : 2]);
  const rows = dice.oneIn(40) ? MANY + dice.below(9) : dice.of(LENGTHS);
  const days = 1 + dice.below(DAYS.length);
  return {
    asset_id: dice.of(ASSETS),
    asset_name: `e${index}`,
    asset_version: version,
    results: dice.oneIn(12)
      ? dice.of([null, undefined, WRONG, []])
      : Array.from({ length: rows }, () => row(dice, odd, days)),
  } as Entry;
}

/** @param size the number of entries */
export function randomEntries(seed: number, size: number): Entry[] {
  const dice = new Dice(seed);
  const odd = dice.of([
    { wrong: 1e9, absent: 1e9 },
    { wrong: 1e9, absent: 5 },
    { wrong: 60, absent: 6 },
  ]);
  return Array.from({ length: size }, (_, index) => entry(dice, odd, index));
}

/** All entries of an asset with its highest version. An entry without a version has the lowest. */
export function entriesOf(entries: readonly Entry[], assetId: string): Entry[] {
  const versionOf = ({ asset_version: version }: Entry) =>
    typeof version === 'number' ? version : Number.NEGATIVE_INFINITY;
  const all = entries.filter(({ asset_id: id }) => id === assetId);
  const highest = all.map(versionOf).reduce((one, other) => (other > one ? other : one), Number.NEGATIVE_INFINITY);
  return all.filter((each) => versionOf(each) === highest);
}

/** The rows of several entries, one after another: null without a list; what has a wrong type is wrong for all of them. */
export function rowsOf(entries: readonly Entry[]): Row[] | typeof WRONG | null {
  const lists = entries.map(({ results }) => results);
  if (lists.includes(WRONG)) return WRONG;
  const rows = lists.filter((list) => Array.isArray(list));
  return rows.length === 0 ? null : rows.flat();
}

const nanoseconds = (date: string): number => {
  const day = DAYS.find((each) => date.startsWith(each));
  // All forms are of the start of the day, as strings of its instant.
  return day === undefined ? Number.NaN : Date.parse(day);
};

/** What a selection gives of rows: its data, and its errors as `path problem`. */
export class Expected {
  readonly errors: string[] = [];

  #fail(path: string, problem = ''): null {
    this.errors.push(`${path} ${problem}`.trim());
    return null;
  }

  #value(value: unknown, path: string): unknown {
    return value === WRONG || value === false ? this.#fail(path) : (value ?? null);
  }

  version({ asset_version: version }: Entry, path: string): unknown {
    return version === WRONG ? this.#fail(path) : version === null || version === undefined ? null : String(version);
  }

  #metrics(row: Row, path: string): unknown {
    if (row.metrics === WRONG) return this.#fail(path);
    return (
      row.metrics?.map(({ name, value }, index) => ({
        name: this.#value(name, `${path}.${index}.name`),
        value: this.#value(value, `${path}.${index}.value`),
      })) ?? null
    );
  }

  #row(row: Row, path: string) {
    return {
      valueDate: this.#value(row.value_date, `${path}.valueDate`),
      metrics: this.#metrics(row, `${path}.metrics`),
    };
  }

  #latest(rows: readonly Row[], path: string): unknown {
    const odd = rows.findIndex(({ value_date: date }) => date === false || date === '' || date === 'day 2');
    if (odd >= 0)
      return this.#fail(
        path,
        `row ${odd} has a date ${rows[odd]?.value_date === false ? 'of a wrong type' : 'that cannot be read'}`,
      );
    const dated = rows.filter((row): row is Row & { value_date: string } => typeof row.value_date === 'string');
    const last = Math.max(...dated.map(({ value_date: date }) => nanoseconds(date)));
    const latest = dated.filter(({ value_date: date }) => nanoseconds(date) === last);
    const row = latest.length > 0 ? joined(latest) : rows.at(-1);
    if (row === undefined) return null;
    const found = row.metrics === WRONG ? WRONG : row.metrics?.find(({ name }) => name === 'm')?.value;
    return { ...this.#row(row, path), m: this.#value(found, `${path}.m`) };
  }

  /** @param all the rows of each series @param suffix says which series */
  #statistics(all: readonly (readonly Row[])[], path: string, suffix = (_series: number) => ''): unknown {
    for (const [series, rows] of all.entries()) {
      const problem = problemOf(rows);
      if (problem !== undefined) return this.#fail(path, `row ${problem.row}${suffix(series)} has ${problem.what}`);
    }
    const rows = all.flat();
    return namesIn(rows).map((name) => {
      const values = rows.map((row) => valueIn(row, name)).filter((value) => typeof value === 'number');
      const isEmpty = values.length === 0;
      return {
        name,
        count: values.length,
        nullCount: rows.length - values.length,
        min: isEmpty ? null : Math.min(...values),
        max: isEmpty ? null : Math.max(...values),
      };
    });
  }

  #columns(rows: readonly Row[], path: string) {
    return {
      rowCount: rows.length,
      valueDates: rows.map(({ value_date: date }, index) => this.#value(date, `${path}.valueDates.${index}`)),
      metrics: namesIn(rows).map((name, column) => ({
        name,
        values: rows.map(({ metrics }, index) => {
          const value = metrics === WRONG ? WRONG : metrics?.find((metric) => metric.name === name)?.value;
          return this.#value(value, `${path}.metrics.${column}.values.${index}`);
        }),
      })),
    };
  }

  /** What `FIELDS` gives of some entries. */
  series(entries: readonly Entry[], path: string): unknown {
    const rows = rowsOf(entries);
    const of = (field: string, make: (rows: readonly Row[], path: string) => unknown) => {
      const own = `${path}.${field}`;
      if (rows === WRONG) return this.#fail(own);
      return rows && make(rows, own);
    };
    return {
      version: this.version(entries[0] as Entry, `${path}.version`),
      rowCount: of('rowCount', ({ length }) => length),
      metricNames: of('metricNames', namesIn),
      latest: of('latest', (all, own) => this.#latest(all, own)),
      rows: of('rows', (all, own) => all.map((row, index) => this.#row(row, `${own}.${index}`))),
      second: of('second', (all, own) => all.slice(1, 3).map((row, index) => this.#row(row, `${own}.${index}`))),
      columns: of('columns', (all, own) => this.#columns(all, own)),
      statistics: of('statistics', (all, own) => this.#statistics([all], own)),
    };
  }

  metricNames(entries: readonly Entry[], path: string): unknown {
    const rows = rowsOf(entries);
    return rows === WRONG ? this.#fail(path) : rows && namesIn(rows);
  }

  /** What `ASSET_FIELDS` gives of all entries of an asset with its highest version. */
  asset(entries: readonly Entry[], path: string): unknown {
    const [first] = entries;
    if (first === undefined) return null;
    return {
      name: first.asset_name,
      version: this.version(first, `${path}.version`),
      metricNames: this.metricNames(entries, `${path}.metricNames`),
      series: this.series(entries, `${path}.series`),
    };
  }

  /** What `statistics` of all entries gives. */
  statistics(entries: readonly Entry[], path: string): unknown {
    const wrong = entries.findIndex(({ results }) => results === WRONG);
    const lists = entries.slice(0, wrong < 0 ? undefined : wrong).map(({ results }) => (results ?? []) as Row[]);
    const before = this.errors.length;
    const found = this.#statistics(lists, path, (series) => ` of series ${series}`);
    return wrong < 0 || this.errors.length > before ? found : this.#fail(path);
  }
}

/** The first metric of a name counts. */
function valueIn({ metrics }: Row, name: string): unknown {
  return Array.isArray(metrics) ? metrics.find((metric) => metric.name === name)?.value : undefined;
}

/** Why nothing can be computed from rows. */
function problemOf(rows: readonly Row[]): { row: number; what: string } | undefined {
  const names = namesIn(rows);
  for (const [row, each] of rows.entries()) {
    if (each.value_date === false) return { row, what: 'a date of a wrong type' };
    if (each.metrics === WRONG && names.length > 0) return { row, what: 'a list of metrics of a wrong type' };
    if (names.some((name) => valueIn(each, name) === WRONG)) return { row, what: 'a value of a wrong type' };
  }
  return undefined;
}

function namesIn(rows: readonly Row[]): string[] {
  const names = rows.flatMap(({ metrics }) => (Array.isArray(metrics) ? metrics.map(({ name }) => name) : []));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/** Rows of one date, joined: the first value of a metric wins, at the place where its name was first. */
function joined(rows: readonly Row[]): Row {
  const [first, ...others] = rows as [Row, ...Row[]];
  if (others.length === 0) return first;
  const lists = rows.map(({ metrics }) => metrics);
  if (lists.includes(WRONG)) return { ...first, metrics: WRONG };
  if (lists.every((list) => list === null || list === undefined)) return { ...first, metrics: null };
  let all: Metric[] = [];
  for (const metrics of lists as (Metric[] | null | undefined)[]) {
    const before = [...all];
    for (const metric of metrics ?? []) {
      const same = typeof metric.name === 'string' ? before.findIndex(({ name }) => name === metric.name) : -1;
      if (same < 0) all.push(metric);
      else if ((all[same]?.value ?? null) === null) all = all.with(same, { ...metric, value: metric.value ?? null });
    }
  }
  return { ...first, metrics: all };
}

const ROW = 'valueDate metrics { name value }';

/** The fields of a series that are compared. */
export const FIELDS = `version rowCount metricNames latest { ${ROW} m: value(metric: "m") } rows { ${ROW} }
  second: rows(first: 2, offset: 1) { ${ROW} } columns { rowCount valueDates metrics { name values } }
  statistics { name count nullCount min max }`;
/** The fields of an asset that are compared. */
export const ASSET_FIELDS = `name version metricNames series { ${FIELDS} }`;
