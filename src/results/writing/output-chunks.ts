import type { Reserve } from '../../scanner/steps.ts';
import { IndexedBatches } from '../aggregates/column-batches.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import type { ErrorSink } from '../selection.ts';
import type { WorkBudget } from '../work-budget.ts';
import { ByteWriter } from './byte-writer.ts';
import { Computed } from './computed.ts';

/** The output of a writer: bytes, the errors of fields that are null, the work that is charged, and memory for batches of rows. */
export interface Output {
  readonly out: ByteWriter;
  readonly errors: ErrorSink;
  readonly work: WorkBudget;
  readonly batches: IndexedBatches;
  /** What is computed before it is written. */
  readonly computed: Computed;
}

/** Writes a part of a response. It yields regularly, so that full chunks can be sent and other work can run. */
export type Writing = (output: Output) => WriteSteps;

/** Where other work may run, or what has to be waited for. */
export type WriteStep = Promise<void> | void;

/** Nothing if all was written at once, or else the steps in which it is written. */
// biome-ignore lint/suspicious/noConfusingVoidType: a writer may return what a call returns that writes at once
export type WriteSteps = Iterable<WriteStep> | void;

/** A part of a response that is written from results. */
export interface WrittenPart {
  readonly write: Writing;
  readonly errors: ErrorSink;
}

/**
 * Writes texts and parts of results one after another. Each step yields the chunks that it filled, if any, so that they can
 * be sent and other work can run, or a promise that has to be waited for. It writes on demand: nothing happens before the next
 * step is requested.
 *
 * @param reserve reserves memory for what is computed before it is written
 */
export function* writeChunks(
  parts: Iterable<string | WrittenPart>,
  work: WorkBudget,
  reserve: Reserve,
): Iterable<readonly Buffer[] | Promise<void>> {
  const out = new ByteWriter();
  const batches = new IndexedBatches();
  const computed = new Computed(reserve);
  for (const part of parts) {
    if (typeof part === 'string') out.text(part);
    else {
      for (const step of part.write({ out, errors: part.errors, work, batches, computed }) ?? []) {
        // It may reject while the chunks are sent, and nobody waits for it yet.
        step?.catch(() => {});
        yield out.takeFilled();
        if (step !== undefined) yield step;
      }
    }
  }
  yield out.finish();
}

/** Checks after each pause that the response is in use. After a release, its bytes can belong to another response. */
export function* whileInUse<T>({ body }: RowsSlice, writing: Iterable<WriteStep, T>): Generator<WriteStep, T> {
  body.assertInUse();
  const steps = writing[Symbol.iterator]();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield value;
    body.assertInUse();
  }
}
