import type { MetricValue, Row } from '../../rest/contract/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import type { RowSink } from './row-sink.ts';

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

/** Collects the distinct names of the metrics, in the order of their first appearance, and makes no bytes. */
export class MetricNames implements RowSink {
  readonly names: Set<string> = new Set();
  readonly #templates = new Set<RowTemplate>();
  readonly hasFilled = false;

  begin(): void {}

  row(_index: RowIndex, _offsetEntry: number, template: RowTemplate): undefined {
    if (this.#templates.has(template)) return;
    this.#templates.add(template);
    for (const { name } of template.metrics ?? []) if (name !== null) this.names.add(name);
  }

  decodedRow({ metrics }: Row): Iterable<void> {
    return inSteps(Array.isArray(metrics) ? metrics : [], ({ name }) => {
      if (typeof name === 'string') this.names.add(name);
    });
  }

  takeFilled(): [] {
    return [];
  }

  finish(): [] {
    return [];
  }
}
