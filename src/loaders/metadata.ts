import DataLoader from 'dataloader';
import type { RestSession } from '../rest/session.ts';
import { type DatasetMetadata, decodeMetadata } from '../rest/wire.ts';

/** Metadata by dataset id: one call for each distinct dataset of an operation. Rejects with a RestError. */
export type MetadataLoader = Pick<DataLoader<string, DatasetMetadata>, 'load'>;

/**
 * Makes the metadata loader of one operation. The service has no call for several datasets, so nothing is batched: each
 * batch is a single id.
 */
export function createMetadataLoader(session: RestSession): MetadataLoader {
  const load = async ([datasetId]: readonly string[]) => {
    try {
      const body = await session.getDatasetMetadata(datasetId as string);
      const metadata = decodeMetadata(body.bytes);
      body.release();
      return [metadata];
    } catch (error) {
      return [error as Error];
    }
  };
  return new DataLoader(load, { batch: false, batchScheduleFn: queueMicrotask });
}
