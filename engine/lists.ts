import { DONE } from './by-metric.ts';
import type { Bytes } from './bytes.ts';

/** So many entries are written at once, or texts of so many characters, about. */
const ENTRIES_AT_ONCE = 2048;
const CHARACTERS_AT_ONCE = 1 << 15;

/** Writes entries of a list of numbers: null for one that JSON does not have. Returns the next entry; `DONE` behind the last. */
export function writeNumbers(out: Bytes, length: number, from: number, read: (index: number) => number): number {
  const to = Math.min(length, from + ENTRIES_AT_ONCE);
  const numbers: number[] = [];
  for (let index = from; index < to; index += 1) numbers.push(read(index));
  return writeSlice(out, numbers, length, from, to);
}

/** The same for texts. */
export function writeTexts(out: Bytes, length: number, from: number, read: (index: number) => string): number {
  const texts: string[] = [];
  let index = from;
  for (let rest = CHARACTERS_AT_ONCE; index < length && rest > 0; index += 1) {
    const text = read(index);
    texts.push(text);
    rest -= text.length;
  }
  return writeSlice(out, texts, length, from, index);
}

/** A list takes half the time of its entries one by one. */
function writeSlice(out: Bytes, slice: readonly unknown[], length: number, from: number, to: number): number {
  const json = JSON.stringify(slice);
  if (from === 0 && to === length) {
    out.text(json);
    return DONE;
  }
  out.text(`${from === 0 ? '[' : ','}${json.slice(1, -1)}${to === length ? ']' : ''}`);
  return to === length ? DONE : to;
}
