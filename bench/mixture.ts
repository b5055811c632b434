import type { ContestantName } from './contestants.ts';
import { copyOf } from './variants.ts';
import type { Query, Work, Workload } from './workloads.ts';

/** A kind of work, and its share of the requests from 0 to 1, in whole percents. */
interface Part {
  readonly workload: Workload;
  readonly share: number;
}

/** One of so many requests of each kind is for a dataset that was never read. */
const NEW_EVERY = 5;
const PERCENTS = 100;
const CYCLE = NEW_EVERY * PERCENTS;
/** The step through the percents. It has no common divisor with 100, so a hundred requests have each percent once. */
const STEP = 37;

/**
 * Several kinds of work in a cycle of five hundred requests, each for a dataset of its own. Four of five repeat what the cycle
 * before has read, and one is for a new dataset. The contestants take turns with the same sequence, so each dataset is new for
 * one of them only.
 */
export class Mixture implements Work {
  readonly title: string;
  readonly connections: number;
  readonly contestants: readonly ContestantName[];
  /** The kinds of work. All queries of a kind have responses of the same size. */
  readonly kinds: readonly Workload[];
  /** The kind of each percent. */
  readonly #percents: readonly Workload[];
  #requests = 0;
  #datasets = CYCLE;

  constructor({ title, connections, contestants }: Work, parts: readonly Part[]) {
    this.title = title;
    this.connections = connections;
    this.contestants = contestants;
    const kinds = parts.map(({ workload, share }) => {
      const { query, restCalls } = workload;
      const kind = {
        title: `${title}: ${workload.title}`,
        query: copyOf(query, 0),
        restCalls,
        connections,
        contestants,
      };
      return { kind, percents: Math.round(share * 100) };
    });
    this.kinds = kinds.map(({ kind }) => kind);
    this.#percents = kinds.flatMap(({ kind, percents }) => Array.from({ length: percents }, () => kind));
  }

  /** The next query, and its kind. */
  next(): { readonly kind: Workload; readonly query: Query } {
    const turn = this.#requests % CYCLE;
    this.#requests += 1;
    const percent = (turn * STEP) % PERCENTS;
    const isNew = (percent + Math.floor(turn / PERCENTS)) % NEW_EVERY === 0;
    const kind = this.#percents[percent];
    if (kind === undefined) throw new Error(`The shares of «${this.title}» are not 100 %.`);
    return { kind, query: copyOf(kind.query, isNew ? this.#datasets++ : turn) };
  }
}
