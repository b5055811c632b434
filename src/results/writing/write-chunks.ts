import type { ErrorSink } from '../selection.ts';
import type { WorkBudget } from '../work-budget.ts';
import { ByteWriter } from './byte-writer.ts';
import type { Writing } from './output.ts';

/** A part of a response that is written from results. */
export interface WrittenPart {
  readonly write: Writing;
  readonly errors: ErrorSink;
}

/**
 * Writes texts and parts of results one after another. Each step yields the chunks that it filled, if any, so that they can
 * be sent and other work can run, or a promise that has to be waited for. It writes on demand: nothing happens before the next
 * step is requested.
 */
export function* writeChunks(
  parts: Iterable<string | WrittenPart>,
  work: WorkBudget,
): Iterable<readonly Buffer[] | Promise<void>> {
  const out = new ByteWriter();
  for (const part of parts) {
    if (typeof part === 'string') out.text(part);
    else {
      for (const step of part.write({ out, errors: part.errors, work }) ?? []) {
        // It may reject while the chunks are sent, and nobody waits for it yet.
        step?.catch(() => {});
        yield out.takeFilled();
        if (step !== undefined) yield step;
      }
    }
  }
  yield out.finish();
}
