import type { ErrorSink } from '../selection.ts';
import type { WorkBudget } from '../work-budget.ts';
import type { ByteWriter } from './byte-writer.ts';

/** What is written to: bytes, the errors of fields that are null, and what of the operation's work is left. */
export interface Output {
  readonly out: ByteWriter;
  readonly errors: ErrorSink;
  readonly work: WorkBudget;
}

/** Writes a part of a response; stops again and again, so that what is written can be sent, and others get their turn. */
export type Writing = (output: Output) => Iterable<void>;
