import type { Reader } from './reader.ts';

/** So many bytes are read at once: more would not stay near. */
const SLICE = 1 << 18;
/** About the least bytes that are sent at once. */
const PIECE_BYTES = 1 << 16;
/** For so long other work waits, and little longer. */
const TURN_MS = 2;

/**
 * Reads a body while it comes, and yields what is written. When it has worked for a while, other work runs. A piece belongs to the
 * caller until it asks for the next one.
 */
export async function* drive(
  reader: Reader,
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  let turn = performance.now();
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length && !reader.isDone; at += SLICE) {
      reader.push(chunk.subarray(at, at + SLICE));
      for (let isMore = true; isMore; ) {
        isMore = reader.work();
        for (const piece of reader.take(PIECE_BYTES)) {
          yield piece;
          reader.give(piece);
        }
        if (performance.now() - turn < TURN_MS) continue;
        await new Promise(setImmediate);
        turn = performance.now();
      }
    }
    if (reader.isDone) break;
  }
  reader.end();
  while (reader.work()) await new Promise(setImmediate);
  for (const piece of reader.take()) {
    yield piece;
    reader.give(piece);
  }
}
