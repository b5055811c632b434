import { sanitizeForTerminal } from '../../src/core/sanitize-for-terminal.ts';
import { chart, MAX_SERIES, type Series } from './chart.ts';
import { seriesModel, seriesNames } from './dataset.ts';
import type { JsonView } from './json-view.ts';
import type { Display } from './terminal.ts';

/** Charts as lines of text. */
export interface Charts {
  readonly lines: readonly string[];
  /** A message for each chart that omits assets. */
  readonly hidden: readonly string[];
}

/**
 * Draws a chart for each metric that has values, with a line for each asset.
 *
 * @throws ZodError when the response does not match the schema
 */
export function charts(dataset: JsonView, metrics: readonly string[], display: Display): Charts {
  const nodes = Array.from(dataset.member('results', 'series', 'nodes')?.elements() ?? [], (node) =>
    seriesModel.parse(node.parse()),
  );
  const names = seriesNames(nodes);
  const title = sanitizeForTerminal(String(dataset.member('name')?.parse() ?? ''));
  const lines: string[] = [];
  const hidden: string[] = [];
  for (const metric of metrics) {
    const series = nodes.flatMap(({ columns }, index): Series[] => {
      const values = columns?.metrics.find(({ name }) => name === metric)?.values ?? [];
      if (!values.some((value) => value !== null)) return [];
      return [{ name: names[index] ?? '', dates: columns?.valueDates ?? [], values }];
    });
    if (series.length === 0) continue;
    if (series.length > MAX_SERIES) {
      hidden.push(`The chart of ${metric} shows ${MAX_SERIES} of ${series.length} assets; select others with --asset.`);
    }
    const heading = title === '' ? sanitizeForTerminal(metric) : `${title}: ${sanitizeForTerminal(metric)}`;
    lines.push(...(lines.length === 0 ? [] : ['']), ...chart(heading, series.slice(0, MAX_SERIES), display));
  }
  return { lines, hidden };
}
