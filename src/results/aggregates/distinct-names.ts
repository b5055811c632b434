import type { RestError } from '../../rest/contract/rest-error.ts';
import type { Aggregate, FinishCosts } from './aggregate.ts';
import { BYTES_PER_CHARACTER } from './named-metrics.ts';
import { UnreservedBytes } from './unreserved-bytes.ts';

/** The memory of a name, about, beside its characters. */
const BYTES_PER_NAME = 100;

/** The names of the metrics of all entries of results, or the error of one of them. Undefined if nobody has collected them. */
export type CollectedNames = DistinctNames | RestError | undefined;

/** The distinct names of the metrics of some series, in the order of their first appearance. */
export class DistinctNames implements Aggregate<DistinctNames> {
  readonly #names = new Set<string>();
  #hasSeries = false;
  readonly #unreserved = new UnreservedBytes();

  begin(names: Iterable<string>): undefined {
    this.#hasSeries = true;
    for (const name of names) {
      if (this.#names.has(name)) continue;
      this.#names.add(name);
      this.#unreserved.add(BYTES_PER_NAME + name.length * BYTES_PER_CHARACTER);
    }
  }

  missingBytes(): number {
    return this.#unreserved.take();
  }

  finishCosts(): FinishCosts {
    return { units: 0, bytes: 0 };
  }

  // biome-ignore lint/correctness/useYield: it is finished at once
  *finish(): Generator<void, DistinctNames> {
    return this;
  }

  /** Those so far. */
  get known(): ReadonlySet<string> {
    return this.#names;
  }

  /** All of them. Null if there was no series. */
  get all(): ReadonlySet<string> | null {
    return this.#hasSeries ? this.#names : null;
  }
}
