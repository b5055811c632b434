import type { Attachment, PooledBuffer } from '../core/buffer-pool.ts';
import type { RestSession } from '../rest/session.ts';
import { type DatasetMetadata, decodeMetadata } from '../rest/wire.ts';
import type { CallOrder } from './call-order.ts';

/** About the bytes of memory of decoded metadata, and those for each byte of its body. */
const DECODED_BYTES = 500;
const BYTES_PER_BYTE = 2;

/** What was decoded from a body, for everyone who reads it. */
class DecodedMetadata implements Attachment {
  readonly metadata: DatasetMetadata;
  readonly bytes: number;

  constructor(body: Buffer) {
    this.metadata = decodeMetadata(body);
    this.bytes = DECODED_BYTES + body.length * BYTES_PER_BYTE;
  }

  /** The garbage collector does it. */
  release(): void {}
}

/**
 * The metadata of one operation, by dataset id: one call for each distinct dataset. The service has no call for several
 * datasets, so there is nothing to batch.
 */
export class MetadataLoader {
  readonly #session: RestSession;
  readonly #order: CallOrder;
  readonly #loading = new Map<string, Promise<DatasetMetadata>>();

  constructor(session: RestSession, order: CallOrder) {
    this.#session = session;
    this.#order = order;
  }

  /**
   * Loads the metadata of a dataset. Rejects with a RestError.
   *
   * @param isAlone whether the operation makes no other calls than those for metadata, so that their order does not matter
   */
  load(datasetId: string, isAlone = false): Promise<DatasetMetadata> {
    let loading = this.#loading.get(datasetId);
    if (loading === undefined) {
      loading = isAlone ? this.#read(datasetId) : this.#readInOrder(datasetId);
      this.#loading.set(datasetId, loading);
    }
    return loading;
  }

  #readInOrder(datasetId: string): Promise<DatasetMetadata> {
    const { promise, resolve } = Promise.withResolvers<DatasetMetadata>();
    this.#order.add(datasetId, () => resolve(this.#read(datasetId)));
    return promise;
  }

  async #read(datasetId: string): Promise<DatasetMetadata> {
    return this.#decode(await this.#session.getDatasetMetadata(datasetId));
  }

  #decode(body: PooledBuffer): DatasetMetadata {
    try {
      const known = this.#session.attachment(body);
      if (known instanceof DecodedMetadata) return known.metadata;
      const decoded = new DecodedMetadata(body.bytes);
      this.#session.attach(body, decoded);
      return decoded.metadata;
    } catch (error) {
      this.#session.invalidBody(body);
      throw error;
    } finally {
      body.release();
    }
  }
}
