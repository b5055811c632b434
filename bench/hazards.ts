import { setTimeout } from 'node:timers/promises';
import { type Contestant, startContestant } from './contestants.ts';
import type { Ratio } from './ratios.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { median } from './statistics.ts';
import { metadata } from './workloads.ts';

/** A load that must not harm other clients. It is measured on a separate subgraph. */
export interface Hazard {
  readonly title: string;
  /** Settings of the subgraph. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of measurements; the figures are their medians. */
  readonly rounds: number;
  /** The figures with their thresholds. */
  readonly figures: readonly Pick<Ratio, 'figure' | 'limit' | 'must' | 'aim' | 'unit'>[];
  /** Measures once: a number, and optionally a note, for each figure. */
  readonly measure: (
    subgraph: Contestant,
    upstreamUrl: string,
  ) => Promise<{
    readonly measured: readonly (number | undefined)[];
    readonly note?: readonly string[];
  }>;
}

const WARM_UP_REQUESTS = 20;
const EXIT_WAIT_MS = 1000;

/**
 * Measures a hazard. If the subgraph exits or does not respond, its figures are infinite, and the benchmark continues with
 * the next hazard.
 */
export async function measureHazard(hazard: Hazard, upstreamUrl: string, rounds: number): Promise<Ratio[]> {
  const { title, env, figures, measure } = hazard;
  const subgraph = await startContestant('subgraph', upstreamUrl, [], env);
  try {
    const request = graphqlRequest(subgraph, metadata.query);
    for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await sendOnce(request);
    const samples: Awaited<ReturnType<Hazard['measure']>>[] = [];
    // With several rounds, a first one warms up and does not count.
    for (let round = rounds > 1 ? 0 : 1; round <= rounds; round += 1) {
      const sample = await Promise.race([measure(subgraph, upstreamUrl), subgraph.broken]);
      if (round > 0) samples.push(sample);
    }
    return figures.map((figure, index) => {
      const values = samples.flatMap(({ measured }) => measured[index] ?? []);
      const note = samples.at(-1)?.note?.[index];
      return {
        ...named(title, figure),
        measured: values.length === 0 ? undefined : median(values),
        ...(note !== undefined && { note }),
      };
    });
  } catch (error) {
    // If the process has exited, that is the reason for a broken connection.
    const reason = await Promise.race([subgraph.broken, setTimeout(EXIT_WAIT_MS)]).then(
      () => error,
      (ended) => ended,
    );
    const [note = ''] = reason instanceof Error ? reason.message.split('\n') : [];
    return figures.map((figure) => ({ ...named(title, figure), measured: Number.POSITIVE_INFINITY, note }));
  } finally {
    await subgraph.stop();
  }
}

function named(title: string, figure: Hazard['figures'][number]) {
  return { ...figure, figure: `${title}: ${figure.figure}` };
}
