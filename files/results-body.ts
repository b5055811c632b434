import type { Source } from '../engine/index.ts';
import type { Body } from '../src/core/body.ts';
import type { PooledBuffer } from '../src/core/buffer-pool.ts';

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
export function streamedResults(body: Body): ResultsBody {
  return { chunks: () => chunksOf(body), reject: () => {}, release: () => body.release() };
}

/** Those that are held. */
export function heldResults(body: PooledBuffer, reject: () => void): ResultsBody {
  return { chunks: () => [body.bytes], reject, release: () => body.release() };
}

async function* chunksOf(body: Body): AsyncGenerator<Buffer, void> {
  // Of a short body it is known that all of it has come.
  await body.waitForBytes(body.sizes.large);
  body.stream();
  for (const part of body.chunks()) {
    if (part instanceof Promise) await part;
    else yield part;
  }
}
