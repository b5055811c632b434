import { describe, expect, it } from 'vitest';
import { Body, type BodySource, HeldBytes, readAll } from '../../src/core/body.ts';
import { PooledBuffer } from '../../src/core/buffer-pool.ts';

/** A body between the call that fills it and its one reader. */

/** What a reader did, as its call is told. */
function record(): BodySource & { readonly log: string[]; isBlocked: boolean } {
  const log: string[] = [];
  return {
    log,
    reserved: 1 << 20,
    isBlocked: false,
    taken: () => log.push('taken'),
    waiting: () => log.push('waiting'),
    dropped: (bytes) => log.push(`dropped ${bytes}`),
    holding: () => log.push('kept'),
    streaming: () => log.push('passing'),
    released: () => log.push('released'),
  };
}

/** A chunk of its own memory, as a connection has it. */
function chunkOf(text: string): Buffer {
  const chunk = Buffer.allocUnsafeSlow(text.length);
  chunk.write(text);
  return chunk;
}

describe('A body', () => {
  it('gives its chunks to the reader, who waits for enough of them', async () => {
    const source = record();
    const body = new Body(source, {});
    body.push(chunkOf('a'));
    let isThere = false;
    const more = body.waitForBytes(2).then(() => {
      isThere = true;
    });
    await Promise.resolve();
    expect(isThere).toBe(false);
    body.push(chunkOf('b'));
    await more;
    // Small chunks are joined.
    expect([body.take(), body.take()].map(String)).toEqual(['ab', 'undefined']);
    expect(body.isComplete).toBe(false);
    const last = body.waitForBytes();
    body.end();
    await last;
    expect(body.isComplete).toBe(true);
    expect(source.log).toEqual(['taken', 'waiting']);
  });

  it('lets a reader take less if its call cannot receive more', async () => {
    const source = record();
    const body = new Body(source, {});
    body.push(chunkOf('a'));
    source.isBlocked = true;
    await body.waitForBytes(1000);
    expect(String(body.take())).toBe('a');
  });

  it('has one reader: a second one is refused', () => {
    const body = new Body(record(), {});
    void body.waitForBytes();
    expect(() => body.waitForBytes()).toThrow('A body has one reader.');
  });

  it('fails where its reader waits, and for one that waits later', async () => {
    const failure = new Error('The connection was lost.');
    const body = new Body(record(), {});
    const more = body.waitForBytes();
    body.push(chunkOf('a'));
    body.fail(failure);
    body.fail(new Error('It was lost before.'));
    await expect(more).rejects.toBe(failure);
    await expect(body.waitForBytes()).rejects.toBe(failure);
    expect(body.take()).toBeUndefined();
  });

  it('is not read after its release', async () => {
    const source = record();
    const body = new Body(source, {});
    const more = body.waitForBytes();
    body.release();
    await expect(more).rejects.toThrow('A body is read after its release.');
    expect(source.log).toEqual(['waiting', 'released']);
  });

  it('drops its rest, and tells how much', async () => {
    const source = record();
    const body = new Body(source, {});
    body.push(chunkOf('a'.repeat(2000)));
    body.push(chunkOf('b'.repeat(3000)));
    body.end();
    await body.skipRest();
    expect(source.log).toEqual(['taken', 'dropped 2000', 'taken', 'dropped 3000']);
  });
});

describe('What a reader holds', () => {
  const sizes = { large: 8, rest: 4, wake: 4 };

  it.each([
    ['of a short body', ['ab', 'c']],
    ['of a long one', ['abcdefgh', 'ijkl', 'm']],
    ['of an empty one', []],
  ])('is all in one buffer: %s', async (_, texts) => {
    for (const length of [texts.join('').length, undefined]) {
      const body = new Body(record(), { sizes, length });
      for (const text of texts) body.push(chunkOf(text));
      body.end();
      const all = await readAll(body);
      expect(String(all.bytes)).toBe(texts.join(''));
      all.release();
    }
  });

  it('is the body itself if that was there before', async () => {
    const whole = PooledBuffer.of(Buffer.from('abc'));
    expect(await readAll(Body.of(whole))).toBe(whole);
  });

  it('may lose a part in its middle, and its end', () => {
    const source = record();
    const body = new Body(source, { sizes });
    body.push(chunkOf('0123456789'));
    const held = new HeldBytes(body);
    expect(held.take()).toBe(false);
    held.drop(2, 5);
    expect(String(held.bytes)).toBe('0156789');
    held.shrink(3);
    expect(String(held.bytes)).toBe('015');
    expect(source.log).toEqual(['taken', 'dropped 3', 'dropped 4']);
    held.release();
  });
});
