import type { Steps } from '../../scanner/steps.ts';
import type { YieldingReader } from '../../scanner/yielding-reader.ts';
import { rowNames } from './row-reader.ts';

/** Bytes of a response, from `start` to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The members of a row. If a member is repeated, the last one wins. */
export interface LongRow {
  readonly date: Span | undefined;
  readonly metrics: Span | undefined;
  /** Whether metrics are omitted. */
  readonly omitted: boolean;
}

/** Reads a row of any length step by step. The scanner is at its brace. */
export function* readLongRow(reader: YieldingReader): Steps<LongRow> {
  const { scanner } = reader;
  let date: Span | undefined;
  let metrics: Span | undefined;
  let omitted = false;
  if (yield* reader.isEmpty(0x7d)) return { date, metrics, omitted };
  do {
    const name = yield* reader.name(rowNames);
    const { at: start } = scanner;
    if (name === 1 && scanner.next() === 0x5b) omitted = yield* skipEntries(reader);
    else {
      if (name === 1) omitted = false;
      yield* reader.skip(name >= 0);
    }
    if (name === 0) date = { start, end: scanner.at };
    else if (name === 1) metrics = { start, end: scanner.at };
  } while (yield* reader.more(0x7d));
  return { date, metrics, omitted };
}

/** Skips a list. Returns whether it has entries that are neither objects nor null. */
function* skipEntries(reader: YieldingReader): Steps<boolean> {
  let hasOthers = false;
  if (yield* reader.isEmpty(0x5d)) return false;
  do {
    const byte = yield* reader.next();
    if (byte !== 0x7b && byte !== 0x6e) hasOthers = true;
    yield* reader.skip();
  } while (yield* reader.more(0x5d));
  return hasOthers;
}
