import type { Source } from '../../engine/index.ts';
import type { ArrivingBody } from '../core/arriving-body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';

/** The results that a file is made of. */
export interface ResultsBody {
  /** Its bytes. They can be read again only if all of them are held. */
  chunks(): Source;
  /** They are not what the service must send. */
  reject(): void;
  release(): void;
}

/** Those of a filter that asks for no assets. */
export const noResults: ResultsBody = { chunks: () => [Buffer.from('{}')], reject: () => {}, release: () => {} };

/** Those that arrive. What was read is dropped. */
export function arrivingResults(body: ArrivingBody): ResultsBody {
  return { chunks: () => chunksOf(body), reject: () => {}, release: () => body.release() };
}

/** Those that are held. */
export function heldResults(body: PooledBuffer, reject: () => void): ResultsBody {
  return { chunks: () => [body.bytes], reject, release: () => body.release() };
}

async function* chunksOf(body: ArrivingBody): AsyncGenerator<Buffer, void> {
  for (let read = 0; ; ) {
    const { bytes, isComplete } = body;
    if (bytes.length > read) yield bytes.subarray(read);
    read = bytes.length;
    if (body.isPartial) {
      body.drop(0, read);
      read = 0;
    }
    if (isComplete) return;
    await body.more();
  }
}
