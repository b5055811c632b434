import type { Sample } from './measure.ts';
import { show } from './ratios.ts';
import type { Results } from './results.ts';
import { table } from './table.ts';

/** The figures of this subgraph against those of another checkout, as a Markdown table: the medians of the ratios in each round. */
export function beforeTable(results: Results): string {
  return table(
    ['work', 'responses a second', 'p50', 'CPU per response', 'peak memory'],
    results.work().map((work) => {
      const against = (figure: (sample: Sample) => number | undefined) =>
        show(results.ratio(figure, [work, 'subgraph'], [work, 'before']), 'x');
      return [
        work.title,
        against(({ responsesPerSecond }) => responsesPerSecond),
        against(({ p50Ms }) => p50Ms),
        against(({ cpuMs }) => cpuMs),
        against(({ peakBytes }) => peakBytes),
      ];
    }),
  );
}
