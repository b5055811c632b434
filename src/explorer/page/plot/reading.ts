import type { Lines } from './series.ts';

/** The values of all lines at one date. */
export interface Reading {
  readonly x: number | string;
  readonly values: readonly {
    readonly name: string;
    readonly y: number | null;
    readonly series: number;
    readonly row: number;
  }[];
}

/** The values by date, in the order of the axis. */
export function readingsByDate({ isTime, series }: Lines): Reading[] {
  const points = series.flatMap(({ name, points }, index) =>
    points.map(([x, y], row) => ({ x, value: { name, y, series: index, row } })),
  );
  const readings = [...Map.groupBy(points, ({ x }) => x)].map(([x, group]) => ({
    x,
    values: group.map(({ value }) => value),
  }));
  return isTime ? readings.toSorted((a, b) => Number(a.x) - Number(b.x)) : readings;
}
