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

/** Nothing if all was written at once, or else the steps in which it is written. */
export type WriteSteps = Iterable<void> | void;
