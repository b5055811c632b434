import { DateList } from './date-list.ts';
import { hasPeriod } from './dates.ts';
import { type FoundDataset, type Identity, labelOf } from './find.ts';
import { laidOver, type PlacedTable, yearExtent } from './overlay.ts';
import type { AssetSummary, DatasetSummary, Overlay, Place } from './protocol.ts';

/** The rows of one asset, in typed arrays. */
export interface StoredTable {
  readonly asset: Identity;
  /** The index of each row's date in `StoredDataset.dates`; -1 for a row without a date. */
  readonly dates: Int32Array;
  /** The values of each metric of the dataset, NaN for a missing value; undefined for a metric that the asset lacks. */
  readonly columns: readonly (Float64Array | undefined)[];
  /** Whether the asset has more rows than the response. */
  readonly isReduced: boolean;
}

/** The values of one dataset. */
export interface StoredDataset {
  readonly summary: DatasetSummary;
  readonly tables: readonly StoredTable[];
  /** The distinct dates, in the order of their first appearance. */
  readonly dates: readonly string[];
  /** The time of each date in milliseconds, or its index where some date is no point in time. */
  readonly times: Float64Array;
  /** The rank of each date among the times. */
  readonly ranks: Float64Array;
  /** The x of each date: its time, but where lines are laid over others. */
  readonly xs: Float64Array;
}

/** Puts what was found into typed arrays, and describes it. */
export function storeDataset(
  { path, title, tables: received, locations }: FoundDataset,
  wanted: Overlay | undefined,
): StoredDataset {
  const { tables: found, summary: overlay } = laidOver(received, wanted);
  const dateList = new DateList();
  const metricIndexes = new Map<string, number>();
  for (const { columns } of found) {
    for (const name of columns.keys()) if (!metricIndexes.has(name)) metricIndexes.set(name, metricIndexes.size);
  }
  const metrics = [...metricIndexes.keys()];
  const tables = found.map((table) => ({
    asset: table.asset,
    dates: dateList.add(table),
    columns: metrics.map((name) => table.columns.get(name)),
    isReduced: table.isReduced ?? false,
  }));
  const dates = dateList.texts;
  const { isTime, times, ranks, xs } = dateList.positions();
  const assets = labelled(found);
  const rowCount = tables.reduce((sum, table) => sum + table.dates.length, 0);
  return {
    summary: {
      path,
      title,
      metrics,
      labels: metrics,
      leading: leadingOf(tables),
      assets,
      places: placesOf(
        locations,
        tables.map(({ asset }) => asset),
      ),
      rowCount,
      valueCount: rowCount * metrics.length,
      dateCount: dates.length,
      extent: overlay?.kind === 'years' ? yearExtent : extentOf(xs),
      isTime,
      hasPeriods: dates.every(hasPeriod),
      texts: isTime ? [] : dates,
      hasDates: found.some((table) => table.hasDates),
      omittedCount: found.reduce((sum, table) => sum + table.omittedCount, 0),
      ...(overlay && { overlay }),
    },
    tables,
    dates,
    times,
    ranks,
    xs,
  };
}

/** The first and the last x; infinite without any. */
function extentOf(xs: Float64Array): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const x of xs) {
    first = Math.min(first, x);
    last = Math.max(last, x);
  }
  return [first, last];
}

/** The leading columns that some row has a text in. */
function leadingOf(tables: readonly StoredTable[]): number[] {
  const has = [
    tables.some(({ asset }) => asset.id !== ''),
    tables.some(({ asset }) => asset.name !== ''),
    tables.some(({ asset }) => asset.version !== ''),
    tables.some((table) => table.dates.some((date) => date !== -1)),
  ];
  return has.flatMap((isThere, column) => (isThere ? [column] : []));
}

/** Makes labels unique: two versions of an asset have the same name, but are two lines. */
function labelled(tables: readonly PlacedTable[]): AssetSummary[] {
  const counts = new Map<string, number>();
  return tables.map(({ asset, edge, label: own, isEarlier, isPreview }) => {
    const label = own ?? labelOf(asset);
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return {
      id: asset.id,
      label: count === 1 ? label : `${label} (${count})`,
      ...(edge && { edge }),
      ...(isEarlier && { isEarlier }),
      ...(isPreview && { isPreview }),
    };
  });
}

function placesOf(locations: FoundDataset['locations'], identities: readonly Identity[]): Place[] {
  const keyOf = ({ id, name }: Identity) => JSON.stringify(id === '' ? ['name', name] : ['id', id]);
  const indexes = Map.groupBy(identities.keys(), (index) => keyOf(identities[index] as Identity));
  return locations.map(({ asset, latitude, longitude }) => ({
    label: labelOf(asset),
    latitude,
    longitude,
    assets: indexes.get(keyOf(asset)) ?? [],
  }));
}
