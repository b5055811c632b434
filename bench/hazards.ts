import { setTimeout } from 'node:timers/promises';
import { type Contestant, startContestant } from './contestants.ts';
import type { Ratio } from './ratios.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { median } from './statistics.ts';
import { metadata } from './workloads.ts';

/** Something that must not hurt others. It is done to a subgraph of its own. */
export interface Hazard {
  readonly title: string;
  /** Settings of the subgraph. */
  readonly env?: Readonly<Record<string, string>>;
  /** How often it is measured; the figures are medians. */
  readonly rounds: number;
  /** What must hold. */
  readonly figures: readonly Pick<Ratio, 'figure' | 'limit' | 'must' | 'aim' | 'unit'>[];
  /** Measures once: a number for each figure, and what to see beside it. */
  readonly measure: (subgraph: Contestant) => Promise<{
    readonly measured: readonly (number | undefined)[];
    readonly beside?: readonly string[];
  }>;
}

const WARM_UP_REQUESTS = 20;
const ENDING_MS = 1000;

/**
 * Measures a hazard: its figures. Where the subgraph ends, or does not answer, they are infinite; so it is worth going on
 * with the next one.
 */
export async function measureHazard(hazard: Hazard, upstreamUrl: string, rounds: number): Promise<Ratio[]> {
  const { title, env, figures, measure } = hazard;
  const subgraph = await startContestant('subgraph', upstreamUrl, [], env);
  try {
    const request = graphqlRequest(subgraph, metadata.query);
    for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await sendOnce(request);
    const samples: Awaited<ReturnType<Hazard['measure']>>[] = [];
    // Where there are several rounds the first one warms up and does not count.
    for (let round = rounds > 1 ? 0 : 1; round <= rounds; round += 1) {
      const sample = await Promise.race([measure(subgraph), subgraph.broken]);
      if (round > 0) samples.push(sample);
    }
    return figures.map((figure, index) => {
      const values = samples.flatMap(({ measured }) => measured[index] ?? []);
      const beside = samples.at(-1)?.beside?.[index];
      return {
        ...named(title, figure),
        measured: values.length === 0 ? undefined : median(values),
        ...(beside !== undefined && { beside }),
      };
    });
  } catch (error) {
    // A connection that broke has a reason, if the process has ended.
    const reason = await Promise.race([subgraph.broken, setTimeout(ENDING_MS)]).then(
      () => error,
      (ended) => ended,
    );
    const [beside = ''] = reason instanceof Error ? reason.message.split('\n') : [];
    return figures.map((figure) => ({ ...named(title, figure), measured: Number.POSITIVE_INFINITY, beside }));
  } finally {
    await subgraph.stop();
  }
}

function named(title: string, figure: Hazard['figures'][number]) {
  return { ...figure, figure: `${title}: ${figure.figure}` };
}
