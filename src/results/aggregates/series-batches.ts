import { Bailout } from '../bailout.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import { rowBatches } from '../writing/row-batches.ts';
import { type ColumnBatches, decodedBatches, type IndexedBatches } from './column-batches.ts';

/**
 * The rows of one asset of a response, column by column. An invalid row ends them.
 *
 * @param names the metrics, each once
 * @param indexed the batches of the response
 */
export function seriesBatches(slice: RowsSlice, names: readonly string[], indexed: IndexedBatches): ColumnBatches {
  const { rows } = slice;
  return rows instanceof Bailout ? decodedBatches(rowBatches(slice), names, 'ends') : indexed.of(rows, names);
}
