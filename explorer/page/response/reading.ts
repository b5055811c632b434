import { dateText } from './date-text.ts';
import { valueText } from './value-text.ts';
import type { DatasetSummary, Line } from './worker/protocol.ts';

/** The values of all lines at one date. */
export interface Reading {
  readonly x: number;
  readonly values: readonly { readonly line: number; readonly row: number; readonly y: number }[];
}

/** The values by date, in the order of the axis. */
export function readingsByDate(lines: readonly Line[]): Reading[] {
  const byDate = new Map<number, { line: number; row: number; y: number }[]>();
  lines.forEach(({ points }, line) => {
    for (let row = 0; row * 2 < points.length; row++) {
      const [x = 0, y = Number.NaN] = [points[row * 2], points[row * 2 + 1]];
      const values = byDate.get(x);
      if (values === undefined) byDate.set(x, [{ line, row, y }]);
      else values.push({ line, row, y });
    }
  });
  return [...byDate].map(([x, values]) => ({ x, values })).sort((a, b) => a.x - b.x);
}

/** The maximum number of values that are read out. */
const MAX_VALUES = 24;

/** A reading as text. It names the assets and the metrics where there are several. */
export function readingText({ x, values }: Reading, dataset: DatasetSummary, lines: readonly Line[]): string {
  const hasAssets = new Set(lines.map(({ asset }) => asset)).size > 1;
  const hasMetrics = new Set(lines.map(({ metric }) => metric)).size > 1;
  const texts = values.slice(0, MAX_VALUES).map(({ line, y }) => {
    const { asset = 0, metric = 0 } = lines[line] ?? {};
    const [label, name] = [dataset.assets[asset]?.label ?? '', dataset.metrics[metric] ?? ''];
    const who = hasAssets && hasMetrics ? `${label}: ${name}` : hasAssets ? label : name;
    return `${who} ${valueText(y)}`;
  });
  const more = values.length > MAX_VALUES ? [`and ${values.length - MAX_VALUES} more`] : [];
  return `${dateText(dataset, x)}: ${[...texts, ...more].join(', ')}`;
}
