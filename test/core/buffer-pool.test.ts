import { describe, expect, it } from 'vitest';
import { Body, type BodySource } from '../../src/core/body.ts';
import { PooledBuffer } from '../../src/core/buffer-pool.ts';

/** A length that no other test of the process uses, so that the pool has no memory for it yet. */
const LENGTH = 77 * 2 ** 20;

describe('A buffer of the pool', () => {
  it('cannot be read after its release, when the next owner writes to the same memory', () => {
    const first = PooledBuffer.acquire(LENGTH);
    const { buffer: memory } = first.bytes;
    first.bytes.write('of the first client');
    first.release();
    const second = PooledBuffer.acquire(LENGTH);
    second.bytes.write('of the second client');

    expect(second.bytes.buffer).toBe(memory);
    expect(() => first.bytes).toThrow('A buffer is read after its release.');
    expect(() => first.truncate(1)).toThrow('A buffer is read after its release.');
    second.free();
  });

  it('is released once: a second release does not give its memory to two owners', () => {
    const first = PooledBuffer.acquire(LENGTH);
    first.release();
    const second = PooledBuffer.acquire(LENGTH);
    first.release();
    first.free();
    const third = PooledBuffer.acquire(LENGTH);

    expect(third.bytes.buffer).not.toBe(second.bytes.buffer);
    expect(second.bytes).toHaveLength(LENGTH);
    second.free();
    third.free();
  });

  it('has its memory detached by free, and never gets into the pool', () => {
    const first = PooledBuffer.acquire(LENGTH);
    const { bytes } = first;
    first.free();
    const second = PooledBuffer.acquire(LENGTH);

    expect(bytes).toHaveLength(0);
    expect(second.bytes).toHaveLength(LENGTH);
    expect(() => first.bytes).toThrow('A buffer is read after its release.');
    second.free();
  });
});

describe('A body', () => {
  /** A call that fills a body, and does not look at its reader. */
  const ignore = () => {};
  const source: BodySource = {
    ...{ reserved: 1 << 20, isBlocked: false },
    ...{ taken: ignore, waiting: ignore, dropped: ignore, holding: ignore, streaming: ignore, released: ignore },
  };

  it('has one reader: a second one is refused', () => {
    const body = new Body(source, {});
    void body.waitForBytes();
    expect(() => body.waitForBytes()).toThrow('A body has one reader.');
  });

  it('is not read after its release, nor after its call has failed', async () => {
    const released = new Body(source, {});
    const waiting = released.waitForBytes();
    released.release();
    await expect(waiting).rejects.toThrow('A body is read after its release.');
    const failed = new Body(source, {});
    failed.push(Buffer.from('a'));
    failed.fail(new Error('The connection was lost.'));
    await expect(failed.waitForBytes()).rejects.toThrow('The connection was lost.');
    expect(failed.take()).toBeUndefined();
  });
});
