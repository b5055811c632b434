/*
 * The memory of what is written of results, piece by piece. Fresh memory is expensive: the system maps it page by page as it is written, and
 * what was sent is left to the garbage collector. So a piece is used again once it was sent.
 */

/** The most pieces that wait to be used again, and the least bytes of one: Node cuts short ones out of memory that others have, too. */
const MAX_IDLE = 32;
const MIN_BYTES = 1 << 16;

/** The memory of pieces that are on their way: nothing else has a part of it. */
const lent = new WeakSet<ArrayBufferLike>();
const idle: Buffer[] = [];

/** A piece leaves for the client. */
export function lendPiece(piece: Buffer): void {
  if (piece.buffer.byteLength >= MIN_BYTES) lent.add(piece.buffer);
}

/** Nobody reads these bytes any more. If they were lent, and are all that is of their memory, it is used again. */
export function returnPiece({ buffer }: Buffer): void {
  if (lent.delete(buffer)) keepIdle(Buffer.from(buffer));
}

/** Nobody needs this idle piece now. */
export function keepIdle(piece: Buffer): void {
  if (idle.length < MAX_IDLE) idle.push(piece);
}

/** A piece of any bytes. Undefined if none is there. */
export function idlePiece(): Buffer | undefined {
  return idle.pop();
}
