import DataLoader from 'dataloader';
import type { RestSession } from '../rest/session.ts';
import { type DatasetMetadata, decodeMetadata } from '../rest/wire.ts';

/** Metadata by dataset id: one call for each distinct dataset of an operation. Rejects with a RestError. */
export type MetadataLoader = Pick<DataLoader<string, DatasetMetadata>, 'load'>;

/** Makes the metadata loader of one operation. The service has no call for several datasets, so nothing is batched. */
export function createMetadataLoader(session: RestSession): MetadataLoader {
  const load = async (datasetId: string) => decodeMetadata(await session.getDatasetMetadata(datasetId));
  return new DataLoader(async (ids) => Promise.all(ids.map((id) => load(id).catch((error: Error) => error))), {
    batch: false,
  });
}
