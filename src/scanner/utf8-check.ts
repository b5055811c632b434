import { isUtf8 } from 'node:buffer';
import { notJson } from './scanner.ts';

/** How many bytes are checked in one step. */
export const UTF8_STEP_BYTES = 1 << 21;
/** The most bytes of a character in UTF-8 (RFC 3629, section 3). */
const MAX_CHARACTER_BYTES = 4;

/** Checks step by step whether bytes are UTF-8, while they arrive. */
export class Utf8Check {
  /** How many bytes are known to be UTF-8. */
  #checked = 0;

  /**
   * Checks the next bytes.
   *
   * @param bytes all bytes so far
   * @returns whether there were any
   * @throws notJson
   */
  step(bytes: Buffer, isComplete: boolean): boolean {
    const start = this.#checked;
    let end = Math.min(start + UTF8_STEP_BYTES, isComplete ? bytes.length : bytes.length - MAX_CHARACTER_BYTES);
    // Do not cut a character.
    for (let back = 1; back < MAX_CHARACTER_BYTES && end < bytes.length && isContinuation(bytes[end]); back += 1)
      end -= 1;
    if (end <= start) return false;
    if (!isUtf8(bytes.subarray(start, end))) throw notJson;
    this.#checked = end;
    return true;
  }

  /**
   * Bytes will be dropped: at most those from `start` to `end`, and none that was not checked.
   *
   * @returns how many, from `start` on
   */
  drop(start: number, end: number): number {
    const count = Math.max(0, Math.min(end, this.#checked) - start);
    this.#checked -= count;
    return count;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
