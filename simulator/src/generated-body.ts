import { setImmediate } from 'node:timers/promises';
import type { GeneratedResults } from './dataset.ts';
import type { ResultsFilter } from './filter.ts';

/**
 * The ProcessingResultTimeSeries (§2.4) of generated results as JSON, a chunk for each asset. An asset is computed when the
 * chunk before is sent, and other work of the process runs in between: in the demo the subgraph is in the same process.
 */
export async function* generatedBody(
  { processing_id, source_id, entries }: GeneratedResults,
  filter: ResultsFilter,
): AsyncGenerator<Uint8Array> {
  let before = `${JSON.stringify({ processing_id, source_id }).slice(0, -1)},"assets":[`;
  for (const entry of entries(filter)) {
    yield Buffer.from(before + entry);
    before = ',';
    await setImmediate();
  }
  yield Buffer.from(before === ',' ? ']}' : `${before}]}`);
}
