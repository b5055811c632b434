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
