import type { AssetTable, FoundDataset } from './find.ts';
import type { Part } from './protocol.ts';

/** The datasets of the responses so far, with those of the next part. The last one ends the preview. */
export function withPart(
  before: readonly FoundDataset[],
  own: readonly FoundDataset[],
  { isPreview, isLast }: Part,
): FoundDataset[] {
  const marked = isPreview ? own.map((dataset) => ({ ...dataset, tables: dataset.tables.map(asPreview) })) : own;
  const all = withLaterRows(before, marked);
  return isLast ? all.map((dataset) => ({ ...dataset, tables: dataset.tables.filter(isKept) })) : all;
}

const asPreview = (table: AssetTable): AssetTable => ({ ...table, isPreview: true });
const isKept = ({ isPreview = false }: AssetTable) => !isPreview;

/** The datasets of two responses to one operation, of which the second has the later rows. A date of both is one. */
function withLaterRows(before: readonly FoundDataset[], later: readonly FoundDataset[]): FoundDataset[] {
  const joined = before.map((dataset) => {
    const other = later.find(({ path }) => isSame(path, dataset.path));
    return other === undefined ? dataset : joinedDataset(dataset, other);
  });
  return [...joined, ...later.filter(({ path }) => !before.some((dataset) => isSame(path, dataset.path)))];
}

function joinedDataset(before: FoundDataset, later: FoundDataset): FoundDataset {
  const tables = byKey(before.tables);
  for (const [key, table] of byKey(later.tables)) {
    const earlier = tables.get(key);
    tables.set(key, earlier === undefined ? table : joinedTable(earlier, table));
  }
  return { ...before, tables: [...tables.values()] };
}

/** The tables by what they are of. An asset may have several. */
function byKey(tables: readonly AssetTable[]): Map<string, AssetTable> {
  const keyed = new Map<string, AssetTable>();
  for (const table of tables) {
    const { field, edge, asset } = table;
    let number = 0;
    const key = () => JSON.stringify([field, edge, asset, number]);
    while (keyed.has(key())) number++;
    keyed.set(key(), table);
  }
  return keyed;
}

function joinedTable(before: AssetTable, later: AssetTable): AssetTable {
  const known = new Set(before.dates.filter((date) => date !== null));
  const rows = [...later.dates.keys()].filter((row) => !known.has(later.dates[row] ?? ''));
  const length = before.dates.length + rows.length;
  const names = new Set([...before.columns.keys(), ...later.columns.keys()]);
  const columnOf = (name: string) => {
    const column = new Float64Array(length).fill(Number.NaN);
    column.set(before.columns.get(name) ?? []);
    const values = later.columns.get(name);
    rows.forEach((row, index) => {
      column[before.dates.length + index] = values?.[row] ?? Number.NaN;
    });
    return column;
  };
  return {
    ...before,
    dates: [...before.dates, ...rows.map((row) => later.dates[row] ?? null)],
    columns: new Map(Array.from(names, (name) => [name, columnOf(name)])),
    omittedCount: before.omittedCount + later.omittedCount,
  };
}

function isSame(one: FoundDataset['path'], other: FoundDataset['path']): boolean {
  return one.join() === other.join();
}
