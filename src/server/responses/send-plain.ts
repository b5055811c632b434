import type { ServerResponse } from 'node:http';
import { releaseChunk } from '../../core/buffer-pool.ts';
import { onResponseClosed } from '../connections/response-closed.ts';
import type { SentChunks } from './send-compressed.ts';

/** Sends chunks as they are, each while the next one is made, and releases them. Resolves when all are sent, or the client leaves. */
export async function sendPlain(raw: ServerResponse, { first, next, isReused, whenSent }: SentChunks): Promise<void> {
  const writes = new PendingCalls();
  // If the connection closes, Node.js does not call back for responses that wait behind another one.
  onResponseClosed(raw, () => writes.settle());
  const write = (chunk: Buffer) =>
    writes.start((settle) =>
      raw.write(chunk, (error) => {
        // A chunk that was not sent may still be in use.
        if (!error) {
          whenSent?.(chunk.length);
          releaseChunk(chunk);
        }
        settle(!error);
      }),
    );
  let writing = Promise.resolve(true);
  for (let chunks: readonly Buffer[] | undefined = first; chunks !== undefined; chunks = await next()) {
    for (const chunk of chunks) {
      const previous = writing;
      writing = write(chunk);
      if (!(await previous)) return;
    }
    if (isReused === true && !(await writing)) return;
  }
  if (await writing) raw.end();
}

/** Calls that have not called back. */
class PendingCalls {
  readonly #pending = new Set<(taken: boolean) => void>();

  /** Starts a call. Resolves to what it settles with, or to false if all are settled before. */
  start(call: (settle: (taken: boolean) => void) => void): Promise<boolean> {
    return new Promise((resolve) => {
      this.#pending.add(resolve);
      call((taken) => {
        this.#pending.delete(resolve);
        resolve(taken);
      });
    });
  }

  /** Settles all of them: nothing more is taken. */
  settle(): void {
    for (const resolve of this.#pending) resolve(false);
  }
}
