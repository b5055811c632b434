import type { FoundDataset } from './find.ts';
import type { Overlay } from './protocol.ts';

/** The most metrics of another dataset that are drawn where none has the name of a metric of the first one. */
const MAX_OTHER_METRICS = 2;

/** The data of two datasets as those of one, with a line for each. Undefined if the response has no data of the first one. */
export function mergedDatasets(
  found: readonly FoundDataset[],
  { names }: Extract<Overlay, { kind: 'datasets' }>,
): FoundDataset | undefined {
  const [first, second] = ['first', 'second'].map((field) => found.find(({ path }) => path[0] === field));
  if (first === undefined) return undefined;
  const own = metricsOf(first);
  const others = second === undefined ? [] : metricsOf(second);
  const common = others.filter((name) => own.includes(name));
  const kept = common.length > 0 ? common : others.slice(0, MAX_OTHER_METRICS);
  return {
    ...first,
    tables: [
      ...first.tables.map((table) => ({ ...table, asset: { ...table.asset, name: names[0] } })),
      ...(second?.tables ?? []).map((table) => ({
        ...table,
        asset: { ...table.asset, name: names[1] },
        columns: new Map([...table.columns].filter(([name]) => kept.includes(name))),
      })),
    ],
  };
}

function metricsOf({ tables }: FoundDataset): string[] {
  return [...new Set(tables.flatMap(({ columns }) => [...columns.keys()]))];
}
