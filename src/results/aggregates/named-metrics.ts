import { UnreservedBytes } from './unreserved-bytes.ts';

/** The most metrics of all series. */
export const MAX_METRICS = 10_000;

/** The memory of a metric, about, and of each character that is kept of a text. */
const BYTES_PER_METRIC = 500;
export const BYTES_PER_CHARACTER = 2;

/** What is kept of each metric of all series, by its name. */
export class NamedMetrics<Metric> {
  readonly #create: (name: string) => Metric;
  readonly #tooMany: () => Error;
  readonly #max: number;
  readonly #byName = new Map<string, Metric>();
  /** Those of the series that was begun last, in the order of its columns. */
  current: readonly Metric[] = [];
  /** What is kept of the metrics. */
  readonly unreserved = new UnreservedBytes();

  /** @param tooMany the error for more metrics than are allowed, at most `max` */
  constructor(create: (name: string) => Metric, tooMany: () => Error, max = MAX_METRICS) {
    this.#create = create;
    this.#tooMany = tooMany;
    this.#max = max;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** In the order of their first appearance. */
  values(): Iterable<Metric> {
    return this.#byName.values();
  }

  /** Begins a series with these metrics. Returns an error if there are too many. */
  begin(names: readonly string[]): Error | undefined {
    this.current = names.map((name) => this.#byName.get(name) ?? this.#add(name));
    return this.size > this.#max ? this.#tooMany() : undefined;
  }

  #add(name: string): Metric {
    const metric = this.#create(name);
    this.#byName.set(name, metric);
    this.unreserved.add(BYTES_PER_METRIC + name.length * BYTES_PER_CHARACTER);
    return metric;
  }
}
