import type { MetricValue } from '../../rest/contract/wire.ts';

/** How many items are visited between two pauses. */
const ITEMS_PER_STEP = 4096;

/** Visits each item, with pauses. */
export function* inSteps<T>(items: Iterable<T>, visit: (item: T) => void): Generator<void, void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count += 1;
    if (count % ITEMS_PER_STEP === 0) yield;
  }
}

/** The value of the first metric with each name, found with pauses. */
export function* firstValues(
  metrics: readonly MetricValue[],
): Generator<void, ReadonlyMap<MetricValue['name'], MetricValue['value']>> {
  const values = new Map<MetricValue['name'], MetricValue['value']>();
  yield* inSteps(metrics, ({ name, value }) => {
    if (!values.has(name)) values.set(name, value);
  });
  return values;
}
