import type { LineContent } from './line-content.ts';
import { type Colours, lineStyleOf } from './theme.ts';
import type { Line } from './worker/protocol.ts';

/** The area between the edges of a band in each chart, as series. A logarithmic chart has none: there, series cannot be stacked. */
export function areasOf(content: LineContent, colours: Colours): object[] {
  const { dataset, lines, metrics, slots, isLogarithmic } = content;
  if (isLogarithmic) return [];
  return metrics.flatMap((metric, chart) => {
    const own = lines.filter((line) => line.metric === metric);
    const low = own.find(({ asset }) => dataset.assets[asset]?.edge === 'low');
    const high = own.find(({ asset }) => dataset.assets[asset]?.edge === 'high');
    // Reduced lines need not have the same dates.
    if (low === undefined || high === undefined || low.points.length !== high.points.length) return [];
    const shared = {
      type: 'line',
      xAxisIndex: chart,
      yAxisIndex: chart,
      stack: `band ${metric}`,
      stackStrategy: 'all',
      symbol: 'none',
      lineStyle: { opacity: 0 },
      emphasis: { disabled: true },
      silent: true,
      z: 1,
    };
    const { color } = lineStyleOf(colours, slots.get(high.asset) ?? 0);
    return [
      { ...shared, data: pointsOf(low, (row) => valueAt(low, row)) },
      {
        ...shared,
        data: pointsOf(low, (row) => valueAt(high, row) - valueAt(low, row)),
        areaStyle: { color, opacity: 0.2 },
      },
    ];
  });
}

function valueAt({ points }: Line, row: number): number {
  return points[row * 2 + 1] ?? Number.NaN;
}

function pointsOf({ points }: Line, yOf: (row: number) => number): [x: number, y: number][] {
  return Array.from({ length: points.length / 2 }, (_, row) => [points[row * 2] ?? 0, yOf(row)]);
}
