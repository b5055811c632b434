import type { Reader } from './reader.ts';

/** So many bytes are read at once: more would not stay near. */
const SLICE_BYTES = 1 << 18;
/** About the least bytes that are sent at once. */
const PIECE_BYTES = 1 << 16;
/** For so long other work waits, and little longer. */
const TURN_MS = 2;

/** The bytes of a body, as they come. A chunk belongs to the source again when the next one is asked for. */
export type Source = AsyncIterable<Buffer> | Iterable<Buffer>;

/** What a reader waits for. */
export interface Waits {
  /** Reserves bytes of memory. The reader goes on when the promise is fulfilled, if there is one. Absent: nothing is reserved. */
  readonly reserve?: (bytes: number) => Promise<void> | undefined;
  /** Is called after about a millisecond of work. The reader goes on when the promise is fulfilled. Absent: every 2 ms other work runs. */
  readonly turn?: () => Promise<void> | undefined;
}

/**
 * Reads bodies, one after another, while they come, and yields what is written. A piece belongs to the caller until it asks for the next
 * one.
 *
 * @throws BodyError, and what the source and `reserve` throw
 */
export async function* drive(
  reader: Reader,
  bodies: readonly Source[],
  { reserve = () => undefined, turn = turnsOf(TURN_MS) }: Waits = {},
): AsyncGenerator<Buffer, void> {
  const waits = { reserve, turn };
  for (const [index, body] of bodies.entries()) {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length && !reader.isDone; at += SLICE_BYTES) {
        reader.push(chunk.subarray(at, at + SLICE_BYTES));
        yield* written(reader, PIECE_BYTES, waits);
      }
      if (reader.isDone) break;
    }
    reader.end(index < bodies.length - 1);
    yield* written(reader, PIECE_BYTES, waits);
  }
  yield* written(reader, 1, waits);
}

/** Works as long as there is something to do. */
async function* written(
  reader: Reader,
  least: number,
  { reserve, turn }: Required<Waits>,
): AsyncGenerator<Buffer, void> {
  for (let isMore = true; isMore; ) {
    const { wants } = reader;
    if (wants > 0) {
      await reserve(wants);
      reader.reserve(wants);
    }
    isMore = reader.work();
    for (const piece of reader.take(least)) {
      yield piece;
      reader.give(piece);
    }
    const wait = turn();
    if (wait !== undefined) await wait;
  }
}

/** Lets other work run after so many milliseconds. */
function turnsOf(milliseconds: number): () => Promise<void> | undefined {
  let start = performance.now();
  return () => {
    if (performance.now() - start < milliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        start = performance.now();
        resolve();
      });
    });
  };
}
