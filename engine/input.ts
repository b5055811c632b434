import { isUtf8 } from 'node:buffer';
import { BodyError, nothing, PADDING, viewOf } from './scanner.ts';

/** The bytes that are read: what was left, and the chunk that came last, in memory that is used again and again. */
export class Input {
  buffer: Buffer = nothing.buffer;
  view: DataView = nothing.view;
  /** The number of bytes, and how many of them are known to be UTF-8. */
  length = 0;
  /** The number of bytes that came before them. */
  before = 0;
  checked = 0;

  /** Drops the bytes before `from`, and appends a chunk. */
  append(chunk: Buffer, from: number): void {
    const rest = this.length - from;
    this.checked -= from;
    this.before += from;
    const needed = rest + chunk.length + PADDING;
    if (needed <= this.buffer.length) {
      if (from > 0) this.buffer.copyWithin(0, from, this.length);
    } else {
      const larger = Buffer.allocUnsafeSlow(this.length === 0 ? needed : Math.max(needed, 2 * this.buffer.length));
      this.buffer.copy(larger, 0, from, this.length);
      this.buffer = larger;
      this.view = viewOf(larger);
    }
    this.buffer.set(chunk, rest);
    this.length = rest + chunk.length;
    this.buffer.fill(0, this.length, this.length + PADDING);
    this.check(this.length - cutCharacter(this.buffer, this.length));
  }

  /** Gives its memory up, if it is more than this. */
  release(most: number): void {
    this.clear();
    if (this.buffer.length <= most) return;
    this.buffer = nothing.buffer;
    this.view = nothing.view;
  }

  /** Drops all bytes. */
  clear(): void {
    this.length = 0;
    this.before = 0;
    this.checked = 0;
  }

  /** Checks whether the bytes up to `end` are UTF-8. */
  check(end: number): void {
    if (!isUtf8(this.buffer.subarray(this.checked, end))) throw new BodyError('notUtf8');
    this.checked = end;
  }
}

/** The number of bytes of a character at the end that is not whole. */
function cutCharacter(bytes: Buffer, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] as number;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}
