import type { ContestantName } from './contestants.ts';
import type { Sample } from './measure.ts';
import { divide, median } from './statistics.ts';
import type { Work } from './workloads.ts';

/** Work and a contestant that were measured. */
export type Measured = readonly [Work, ContestantName];

/** All samples taken. */
export class Results {
  readonly #samples = new Map<Work, Map<ContestantName, Sample[]>>();

  add(work: Work, contestant: ContestantName, sample: Sample): void {
    const ofWork = this.#samples.get(work) ?? new Map<ContestantName, Sample[]>();
    this.#samples.set(work, ofWork);
    ofWork.set(contestant, [...(ofWork.get(contestant) ?? []), sample]);
  }

  /** The measured work, in order of measurement. */
  work(): Work[] {
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

  /** The highest of a figure over the rounds; undefined if it was not measured. */
  highest(figure: (sample: Sample) => number | undefined, measured: Measured): number | undefined {
    const values = this.#of(measured).flatMap((sample) => figure(sample) ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  }

  /** The median of each figure over the rounds, and the highest peak; undefined if nothing was measured. */
  summary(work: Work, contestant: ContestantName): Sample | undefined {
    const samples = this.#of([work, contestant]);
    if (samples.length === 0) return undefined;
    const figures = (read: (sample: Sample) => number | undefined) =>
      samples.map(read).filter((figure) => figure !== undefined);
    const middle = (read: (sample: Sample) => number) => median(samples.map(read));
    const middleIfAny = (values: number[]) => (values.length === 0 ? undefined : median(values));
    return {
      responsesPerSecond: middle(({ responsesPerSecond }) => responsesPerSecond),
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      peakBytes: this.highest(({ peakBytes }) => peakBytes, [work, contestant]),
      cpuMs: middleIfAny(figures(({ cpuMs }) => cpuMs)),
      restCalls: middleIfAny(figures(({ restCalls }) => restCalls)),
    };
  }

  #of([work, contestant]: Measured): readonly Sample[] {
    return this.#samples.get(work)?.get(contestant) ?? [];
  }
}
