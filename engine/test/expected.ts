import { isUtf8 } from 'node:buffer';
import {
  type Entry,
  type Field,
  type Metric,
  type Results,
  type Row,
  readResults,
  WRONG,
} from '../../test/oracle/body.ts';
import { columnsOf, firstOfEach, metricNames } from '../../test/oracle/rows.ts';
import { Selection } from '../index.ts';
import { fieldsOf } from './fields.ts';
import type { Written } from './read.ts';

/** All attributes, and rows in each form. */
export const everything = new Selection({
  entries: fieldsOf(
    [
      'asset',
      [
        ...['assetId', 'name', 'version', 'categories', 'surfaceAreaM2'],
        ['centroid', ['latitude', 'longitude']],
        ['parent', ['assetId', 'name', 'version']],
      ],
    ],
    'rowCount',
    'metricNames',
    ['rows', ['valueDate', ['metrics', ['name', 'value']], ['value', undefined, { metric: 'a' }]]],
    ['columns', ['rowCount', 'valueDates', ['metrics', ['name', 'values']]]],
  ),
});

/** What is read of a body: the list, an error a line, and the head. */
export interface Outcome {
  readonly list: unknown;
  readonly errors: readonly string[];
  readonly processingId: string | null | undefined;
  readonly sourceId: string | null | undefined;
  readonly count: number;
  readonly hasOmitted: boolean;
}

/** What a reader has read with `everything`. */
export function outcomeOf({ list, errors, reader }: Written): Outcome {
  const { processingId = null, sourceId = null, count, omitted } = reader.head;
  return {
    list: JSON.parse(list),
    errors: errors.map(({ path, kind }) => `${path.join('.')} ${kind}`).toSorted(),
    ...{ processingId, sourceId, count, hasOmitted: omitted > 0 },
  };
}

/** What the oracle reads with `everything`. Undefined if it is no results response, or lists assets twice. */
export function expectedOf(body: Buffer): Outcome | undefined {
  const results = isUtf8(body) ? readResults(body.toString()) : undefined;
  return results === undefined || results.repeatsAssets ? undefined : expectedOfResults(results);
}

/** The same for results of the oracle. */
export function expectedOfResults(results: Results): Outcome {
  const errors: string[] = [];
  const shown = <T>(value: Field<T>, path: string, kind = 'wrongType'): T | null => {
    if (value === WRONG) errors.push(`${path} ${kind}`);
    return value === WRONG ? null : value;
  };
  const int64 = (value: Field<bigint>, path: string) => shown(value, path)?.toString() ?? null;
  const metricValue = ({ value, isNoNumber }: Metric, path: string) =>
    shown(value, path, isNoNumber ? 'nonFinite' : 'wrongType');
  const { assets } = results;

  const assetOf = (entry: Entry, path: string) => {
    const { assetId, name, version, categories, latitude, longitude, surfaceAreaM2 } = entry;
    const { parentId, parentName, parentVersion } = entry;
    const asset = {
      assetId,
      name: shown(name, `${path}.name`),
      version: int64(version, `${path}.version`),
      categories: shown(categories, `${path}.categories`),
      surfaceAreaM2: shown(surfaceAreaM2, `${path}.surfaceAreaM2`),
    };
    const centroid = { latitude, longitude };
    const values = Object.entries(centroid);
    const wrong = values.find(([, value]) => value === WRONG)?.[0];
    const isAbsent = values.some(([, value]) => value === null);
    if (wrong !== undefined && !isAbsent) errors.push(`${path}.centroid.${wrong} wrongType`);
    const hasParent = [parentId, parentName, parentVersion].some((value) => value !== null);
    return {
      ...asset,
      centroid: isAbsent || wrong !== undefined ? null : centroid,
      parent: hasParent
        ? {
            assetId: shown(parentId, `${path}.parent.assetId`),
            name: shown(parentName, `${path}.parent.name`),
            version: int64(parentVersion, `${path}.parent.version`),
          }
        : null,
    };
  };

  const rowOf = (row: Row, path: string) => {
    const first = row.metrics === WRONG ? undefined : firstOfEach(row, new Set(['a'])).get('a');
    return {
      valueDate: shown(row.date, `${path}.valueDate`),
      metrics:
        shown(row.metrics, `${path}.metrics`)?.map((metric, index) => ({
          name: shown(metric.name, `${path}.metrics.${index}.name`),
          value: metricValue(metric, `${path}.metrics.${index}.value`),
        })) ?? null,
      value:
        row.metrics === WRONG
          ? shown(WRONG, `${path}.value`)
          : first === undefined
            ? null
            : metricValue(first, `${path}.value`),
    };
  };

  const columnOf = (rows: readonly Row[], name: string, values: readonly Field<number>[], path: string) => ({
    name,
    values: values.map((value, row) => {
      const { metrics } = rows[row] as Row;
      const first = metrics === WRONG ? undefined : firstOfEach(rows[row] as Row, new Set([name])).get(name);
      return shown(value, `${path}.values.${row}`, first?.isNoNumber === true ? 'nonFinite' : 'wrongType');
    }),
  });

  const list = shown(assets, '')?.map((entry, index) => {
    const { results: rows } = entry;
    const asset = assetOf(entry, `${index}.asset`);
    if (rows === null || rows === WRONG) {
      const ofRows = ['rowCount', 'metricNames', 'rows', 'columns'];
      return { asset, ...Object.fromEntries(ofRows.map((key) => [key, shown(rows, `${index}.${key}`)])) };
    }
    const names = metricNames(rows);
    const dates = rows.map(({ date }, row) => shown(date, `${index}.columns.valueDates.${row}`));
    const columns = Array.from(columnsOf(rows, names), ([name, values], metric) =>
      columnOf(rows, name, values, `${index}.columns.metrics.${metric}`),
    );
    return {
      ...{ asset, rowCount: rows.length, metricNames: names },
      rows: rows.map((row, at) => rowOf(row, `${index}.rows.${at}`)),
      columns: { rowCount: rows.length, valueDates: dates, metrics: columns },
    };
  });
  const textOf = (value: Field<string>) => (value === WRONG ? null : value);
  return {
    list: list ?? null,
    errors: errors.toSorted(),
    processingId: textOf(results.processingId),
    sourceId: textOf(results.sourceId),
    count: list?.length ?? 0,
    hasOmitted: results.omitted || results.omittedInRows,
  };
}
