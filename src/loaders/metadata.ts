import type { PooledBuffer } from '../core/buffer-pool.ts';
import type { RestSession } from '../rest/session.ts';
import { type DatasetMetadata, decodeMetadata } from '../rest/wire.ts';

/**
 * The metadata of one operation, by dataset id: one call for each distinct dataset. The service has no call for several
 * datasets, so there is nothing to batch.
 */
export class MetadataLoader {
  readonly #session: RestSession;
  readonly #loading = new Map<string, Promise<DatasetMetadata>>();

  constructor(session: RestSession) {
    this.#session = session;
  }

  /** Rejects with a RestError. */
  load(datasetId: string): Promise<DatasetMetadata> {
    let loading = this.#loading.get(datasetId);
    if (loading === undefined) {
      loading = this.#session.getDatasetMetadata(datasetId).then((body) => this.#decode(body));
      this.#loading.set(datasetId, loading);
    }
    return loading;
  }

  #decode(body: PooledBuffer): DatasetMetadata {
    try {
      return decodeMetadata(body.bytes);
    } catch (error) {
      this.#session.invalidBody(body);
      throw error;
    } finally {
      body.release();
    }
  }
}
