import type { ContestantName } from './contestants.ts';
import type { Sample } from './measure.ts';
import { divide, median } from './statistics.ts';
import type { Workload } from './workloads.ts';

/** A workload and a contestant that were measured. */
export type Measured = readonly [Workload, ContestantName];

/** All samples taken. */
export class Results {
  readonly #samples = new Map<Workload, Map<ContestantName, Sample[]>>();

  add(workload: Workload, contestant: ContestantName, sample: Sample): void {
    const ofWorkload = this.#samples.get(workload) ?? new Map<ContestantName, Sample[]>();
    this.#samples.set(workload, ofWorkload);
    ofWorkload.set(contestant, [...(ofWorkload.get(contestant) ?? []), sample]);
  }

  /** The measured workloads, in order of measurement. */
  workloads(): Workload[] {
    return [...this.#samples.keys()];
  }

  /**
   * The ratio of a figure between two measurements: the median of the ratios in each round, because a machine may be slower
   * for a while. Undefined if one of them was not measured.
   */
  ratio(figure: (sample: Sample) => number | undefined, dividend: Measured, divisor: Measured): number | undefined {
    const divisors = this.#of(divisor);
    const rounds = this.#of(dividend).flatMap((sample, round) => {
      const other = divisors[round];
      return divide(figure(sample), other && figure(other)) ?? [];
    });
    return rounds.length === 0 ? undefined : median(rounds);
  }

  /** The median of each figure over the rounds, and the highest peak; undefined if nothing was measured. */
  summary(workload: Workload, contestant: ContestantName): Sample | undefined {
    const samples = this.#of([workload, contestant]);
    if (samples.length === 0) return undefined;
    const figures = (read: (sample: Sample) => number | undefined) =>
      samples.map(read).filter((figure) => figure !== undefined);
    const middle = (read: (sample: Sample) => number) => median(samples.map(read));
    const middleIfAny = (values: number[]) => (values.length === 0 ? undefined : median(values));
    const peaks = figures(({ peakBytes }) => peakBytes);
    return {
      responsesPerSecond: middle(({ responsesPerSecond }) => responsesPerSecond),
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      peakBytes: peaks.length === 0 ? undefined : Math.max(...peaks),
      cpuMs: middleIfAny(figures(({ cpuMs }) => cpuMs)),
      restCalls: middleIfAny(figures(({ restCalls }) => restCalls)),
    };
  }

  #of([workload, contestant]: Measured): readonly Sample[] {
    return this.#samples.get(workload)?.get(contestant) ?? [];
  }
}
