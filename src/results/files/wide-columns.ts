import { LEADING_COLUMNS } from './text-format.ts';

/** A column of one metric. */
export interface WideColumn {
  readonly metric: string;
  /** The name of the column: that of the metric, or with a number where that is empty or another column's. */
  readonly name: string;
}

/** The columns of metrics. Their names differ from each other and from those of the columns before them. */
export function wideColumns(metrics: Iterable<string>): WideColumn[] {
  const taken = new Set<string>(['', ...LEADING_COLUMNS]);
  return Array.from(metrics, (metric) => {
    const wanted = metric.toWellFormed();
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    taken.add(name);
    return { metric, name };
  });
}
