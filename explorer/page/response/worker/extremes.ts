import type { StoredDataset } from './dataset.ts';
import type { Extremes } from './protocol.ts';

/** The lowest and the highest value of each metric of a dataset that has one. Of equal values the first one counts. */
export function extremesOf({ summary, tables, xs }: StoredDataset): Extremes[] {
  return [...summary.metrics.keys()].flatMap((metric) => {
    let [lowest, highest]: (Extremes['lowest'] | undefined)[] = [];
    tables.forEach(({ columns, dates }, asset) => {
      columns[metric]?.forEach((value, row) => {
        const x = xs[dates[row] ?? -1];
        if (Number.isNaN(value) || x === undefined) return;
        if (lowest === undefined || value < lowest.value) lowest = { value, x, asset };
        if (highest === undefined || value > highest.value) highest = { value, x, asset };
      });
    });
    return lowest === undefined || highest === undefined ? [] : [{ metric, lowest, highest }];
  });
}
