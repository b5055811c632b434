import type { RowsSlice } from '../indexing/row-index.ts';
import type { WriteStep } from './output.ts';

/** Checks after each pause that the response is in use. After a release, its bytes can belong to another response. */
export function* whileInUse({ body }: RowsSlice, writing: Iterable<WriteStep>): Iterable<void> {
  body.assertInUse();
  for (const _ of writing) {
    yield;
    body.assertInUse();
  }
}
