import { type ContestantName, contestantKinds } from './contestants.ts';
import type { Sample } from './measure.ts';
import { show } from './ratios.ts';
import { isRedisInstalled } from './redis.ts';
import { repeatedLarge, repeatedMetadata, repeatedMixture, repeatedSmall } from './repeats.ts';
import type { Results } from './results.ts';
import { table } from './table.ts';

const caches: readonly ContestantName[] = ['memory', 'redis'];

/** The figures with a cache against those without it, as a Markdown table; empty if nothing of it was measured. */
export function cacheTable(results: Results): string {
  const measured = new Set(results.work());
  const work = [repeatedMixture, repeatedMetadata, repeatedSmall, repeatedLarge].filter((one) => measured.has(one));
  if (work.length === 0) return '';
  return table(
    ['work', 'contestant', 'REST calls', 'CPU per response', 'responses a second', 'p99'],
    work.flatMap((one) =>
      caches.flatMap((name) => {
        if (!one.contestants.includes(name)) return [];
        const against = (figure: (sample: Sample) => number | undefined) =>
          show(results.ratio(figure, [one, name], [one, 'subgraph']), 'x');
        const figures =
          name === 'redis' && !isRedisInstalled()
            ? ['redis-server is not installed', '', '', '']
            : [
                against(({ restCalls }) => restCalls),
                against(({ cpuMs }) => cpuMs),
                against(({ responsesPerSecond }) => responsesPerSecond),
                against(({ p99Ms }) => p99Ms),
              ];
        return [[one.title, contestantKinds[name].title, ...figures]];
      }),
    ),
  );
}
