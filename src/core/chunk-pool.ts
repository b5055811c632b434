/** The size of a chunk of a response, in bytes. Most responses fit into one. */
export const CHUNK_BYTES = 1 << 19;
/** The maximum number of idle chunks. */
const MAX_IDLE = 64;

/** Allocating new chunks for each response is expensive. */
const idle: Buffer[] = [];
/** The memory of acquired chunks: only these can be released, and only once. */
const inUse = new WeakSet<ArrayBufferLike>();

/** A chunk to write to. */
export function acquireChunk(): Buffer {
  const chunk = idle.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  inUse.add(chunk.buffer);
  return chunk;
}

/** Returns a chunk that was sent, or a part of it, for the next response. A second release does nothing. */
export function releaseChunk({ buffer }: Buffer): void {
  if (inUse.delete(buffer) && idle.length < MAX_IDLE) idle.push(Buffer.from(buffer as ArrayBuffer));
}
