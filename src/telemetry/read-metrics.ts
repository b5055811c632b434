import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from '@prometheus-io/client';

/** One line of a metric: a value and its labels. */
export type Sample = MetricValueWithName<string>;

/** A metric that is read at each scrape. If its name ends in `_total`, it is a counter, otherwise a gauge. */
export type ReadMetric<State> = readonly [
  name: string,
  help: string,
  /** Returns one value, several with labels, or undefined where the system has none. */
  read: (state: State) => number | undefined | readonly Sample[],
];

/** Registers metrics. @param state what they are read from */
export function registerReadMetrics<State>(
  registry: Registry,
  metrics: readonly ReadMetric<State>[],
  state: () => State,
): void {
  for (const [name, help, read] of metrics) {
    registerMetric(registry, name, help, name.endsWith('_total') ? 'counter' : 'gauge', () => {
      const value = read(state());
      if (typeof value === 'number') return [{ value, labels: {} }];
      return value ?? [];
    });
  }
}

/** Registers a metric that is none of the library's. */
export function registerMetric(
  registry: Registry,
  name: string,
  help: string,
  type: 'counter' | 'gauge' | 'histogram',
  samples: () => readonly Sample[],
): void {
  const get = async (): Promise<MetricObjectWithValues<Sample>> => ({
    ...{ name, help, type, aggregator: 'sum', collect: () => {} },
    values: [...samples()],
  });
  registry.registerMetric({ name, get } as unknown as Metric<string>);
}
