import type { Sample } from './measure.ts';
import { show } from './ratios.ts';
import { repeatedLarge, repeatedMetadata, repeatedMixture, repeatedSmall } from './repeats.ts';
import type { Results } from './results.ts';
import { table } from './table.ts';

/** The figures with the cache against those without it, as a Markdown table; empty if nothing of it was measured. */
export function cacheTable(results: Results): string {
  const measured = new Set(results.work());
  const work = [repeatedMixture, repeatedMetadata, repeatedSmall, repeatedLarge].filter((one) => measured.has(one));
  if (work.length === 0) return '';
  return table(
    ['work', 'REST calls', 'CPU per response', 'responses a second', 'p99'],
    work.map((one) => {
      const against = (figure: (sample: Sample) => number | undefined) =>
        show(results.ratio(figure, [one, 'memory'], [one, 'subgraph']), 'x');
      return [
        one.title,
        against(({ restCalls }) => restCalls),
        against(({ cpuMs }) => cpuMs),
        against(({ responsesPerSecond }) => responsesPerSecond),
        against(({ p99Ms }) => p99Ms),
      ];
    }),
  );
}
