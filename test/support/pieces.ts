import { setImmediate } from 'node:timers/promises';

/** The bytes of a body in pieces of these sizes, again and again. */
export async function* pieces(body: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const size = sizes[index % sizes.length] as number;
    yield body.subarray(at, at + size);
    at += size;
    await setImmediate();
  }
}

/** A response in chunks of a byte each (RFC 9112, section 7.1). */
export function inSmallChunks(body: Buffer): Buffer {
  const chunks = Buffer.from('1\r\n?\r\n'.repeat(body.length));
  for (const [at, byte] of body.entries()) chunks[at * 6 + 3] = byte;
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  return Buffer.concat([Buffer.from(head), chunks, Buffer.from('0\r\n\r\n')]);
}
