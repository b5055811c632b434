import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { releasePiece } from '../../core/buffer-pool.ts';
import { breakOff, onResponseClosed } from '../connections/connection.ts';
import { type Coding, createEncoder } from './content-negotiation.ts';

/** Where the chunks of a body go. */
export interface ChunkSink {
  /**
   * Takes a chunk. Resolves to whether the next one may follow; at the latest when the response closes.
   */
  send(chunk: Buffer): Promise<boolean>;
  /** Ends the response, when all chunks are taken. */
  end(): void;
}

/**
 * Sends chunks as they are.
 *
 * @param whenSent is called with the bytes of each chunk that was sent
 */
export function plainSink(raw: ServerResponse, whenSent?: ((bytes: number) => void) | undefined): ChunkSink {
  const calls = new PendingCalls();
  // If the connection closes, Node.js does not call back for responses that wait behind another one.
  onResponseClosed(raw, () => calls.settle());
  return {
    send: (chunk) =>
      calls.start((settle) =>
        raw.write(chunk, (error) => {
          // One that was not sent may still be in use.
          if (!error) {
            whenSent?.(chunk.length);
            releasePiece(chunk);
          }
          settle(!error);
        }),
      ),
    end: () => void raw.end(),
  };
}

/**
 * Encodes chunks, and sends the encoded ones no faster than the client takes them. A failure of the encoder breaks the
 * connection.
 *
 * @param reportInternal is called if the encoder fails
 */
export function encodingSink(raw: ServerResponse, coding: Coding, reportInternal: (error: unknown) => void): ChunkSink {
  const encoder = createEncoder(coding);
  const calls = new PendingCalls();
  let isClosed = false;
  onResponseClosed(raw, () => {
    isClosed = true;
    encoder.destroy();
    calls.settle();
  });
  sendAll(encoder, plainSink(raw)).catch((error) => {
    if (isClosed) return;
    reportInternal(error);
    // A truncated response must not look complete.
    breakOff(raw);
  });
  return {
    send: (chunk) => calls.start((settle) => encoder.write(chunk, (error) => settle(!error))),
    end: () => void encoder.end(),
  };
}

/**
 * Sends chunks, each while the next one is made, until the client leaves. Ends the response after the last one.
 *
 * @param next makes the next chunks; undefined after the last ones
 */
export async function sendWhileMade(
  sink: ChunkSink,
  first: readonly Buffer[],
  next: () => Promise<readonly Buffer[] | undefined> | readonly Buffer[] | undefined,
): Promise<void> {
  let sending = Promise.resolve(true);
  for (let chunks: readonly Buffer[] | undefined = first; chunks !== undefined; chunks = await next()) {
    for (const chunk of chunks) {
      const previous = sending;
      sending = sink.send(chunk);
      if (!(await previous)) return;
    }
  }
  if (await sending) sink.end();
}

/** Sends what an encoder makes, and ends the response after the last of it. Stops when the response closes. */
async function sendAll(encoder: Transform, output: ChunkSink): Promise<void> {
  for await (const encoded of encoder) if (!(await output.send(encoded))) return;
  output.end();
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
