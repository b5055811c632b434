import type { MetricValue, Row } from '../../rest/contract/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import { type RowTemplate, withMetrics } from '../indexing/row-template.ts';
import { inSteps } from './metric-names.ts';
import type { EntryAttributes, LastSteps, RowSink } from './row-sink.ts';

/** Passes on only the metrics with some names, and only rows that have one of them. */
export class MetricFilter implements RowSink {
  readonly #sink: RowSink;
  readonly #names: ReadonlySet<string>;
  /** Each template with fewer metrics; undefined if it has none of them. */
  readonly #narrowed = new Map<RowTemplate, RowTemplate | undefined>();

  constructor(sink: RowSink, names: Iterable<string>) {
    this.#sink = sink;
    this.#names = new Set(names);
  }

  begin(entry: EntryAttributes): void {
    this.#sink.begin(entry);
  }

  row(index: RowIndex, offsetEntry: number, template: RowTemplate): Iterable<void> | undefined {
    const narrowed = this.#narrow(template);
    return narrowed && this.#sink.row(index, offsetEntry, narrowed);
  }

  *decodedRow(row: Row): Iterable<void> {
    const metrics: MetricValue[] = [];
    yield* inSteps(Array.isArray(row.metrics) ? row.metrics : [], (metric) => {
      if (typeof metric.name === 'string' && this.#names.has(metric.name)) metrics.push(metric);
    });
    if (metrics.length > 0) yield* this.#sink.decodedRow({ ...row, metrics }) ?? [];
  }

  get hasFilled(): boolean {
    return this.#sink.hasFilled;
  }

  takeFilled(): readonly Buffer[] {
    return this.#sink.takeFilled();
  }

  finish(): LastSteps {
    return this.#sink.finish();
  }

  #narrow(template: RowTemplate): RowTemplate | undefined {
    if (this.#narrowed.has(template)) return this.#narrowed.get(template);
    const metrics = template.metrics?.filter(({ name }) => name !== null && this.#names.has(name)) ?? [];
    const narrowed = metrics.length === 0 ? undefined : withMetrics(template, metrics);
    this.#narrowed.set(template, narrowed);
    return narrowed;
  }
}
