import type { Row } from '../../rest/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import { inSteps } from './in-steps.ts';
import type { RowSink } from './row-sink.ts';

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
