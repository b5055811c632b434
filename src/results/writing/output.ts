import type { ErrorSink } from '../selection.ts';
import type { WorkBudget } from '../work-budget.ts';
import type { ByteWriter } from './byte-writer.ts';

/** The output of a writer: bytes, the errors of fields that are null, and the work that is charged. */
export interface Output {
  readonly out: ByteWriter;
  readonly errors: ErrorSink;
  readonly work: WorkBudget;
}

/** Writes a part of a response. It yields regularly, so that full chunks can be sent and other work can run. */
export type Writing = (output: Output) => WriteSteps;

/** Where other work may run, or what has to be waited for. */
export type WriteStep = Promise<void> | void;

/** Nothing if all was written at once, or else the steps in which it is written. */
// biome-ignore lint/suspicious/noConfusingVoidType: a writer may return what a call returns that writes at once
export type WriteSteps = Iterable<WriteStep> | void;
