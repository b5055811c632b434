import {
  type AskedOfResults,
  Held,
  type HeldPart,
  type Limits,
  open,
  type Page,
  type PathError,
  type Reader,
  Selection,
  type Workspace,
} from '../index.ts';

/** What a reader has written. */
export interface Written {
  /** The list of entries as JSON. Empty if it is not asked for. */
  readonly list: string;
  /** The values that are computed from all entries. */
  readonly values: readonly string[];
  readonly errors: readonly PathError[];
  readonly reader: Reader;
}

export const unlimited: Limits = { work: Number.POSITIVE_INFINITY };

/** Reads a body that comes in these pieces, without a wait. @throws BodyError */
export function read(
  asked: AskedOfResults | Selection,
  pieces: Iterable<Buffer>,
  limits: Limits = unlimited,
  page: Page = {},
  workspace?: Workspace,
): Written {
  return readBodies(asked, [pieces], limits, page, workspace);
}

/** Reads bodies, one after another. */
export function readBodies(
  asked: AskedOfResults | Selection,
  bodies: readonly Iterable<HeldPart>[],
  limits: Limits = unlimited,
  page: Page = {},
  workspace?: Workspace,
): Written {
  const reader = open(asked instanceof Selection ? asked : new Selection(asked), limits, page, workspace);
  const parts: Buffer[] = [];
  const work = () => {
    while (reader.work()) {
      if (reader.wants > 0) reader.reserve(reader.wants);
      take();
    }
    take();
  };
  const take = () => {
    for (const piece of reader.take(100)) {
      parts.push(Buffer.from(piece));
      reader.give(piece.fill(0x78));
    }
  };
  for (const [index, pieces] of bodies.entries()) {
    for (const piece of pieces) {
      if (!Buffer.isBuffer(piece)) {
        reader.readHeld(piece);
        work();
        continue;
      }
      // What the caller does with its chunk afterwards does not matter.
      const own = Buffer.from(piece);
      reader.push(own);
      work();
      own.fill(0x78);
      if (reader.isDone) break;
    }
    reader.end(index < bodies.length - 1);
    work();
  }
  parts.push(...reader.take());
  const values = reader.values().map((value) => value.toString());
  return { list: Buffer.concat(parts).toString(), values, errors: reader.errors, reader };
}

/** A body that is kept, and where its entries are. @throws BodyError */
export function heldBody(body: Buffer, lengths: readonly number[] = [body.length]): Held {
  const { reader } = read({}, inPieces(body, lengths), unlimited, { index: Number.POSITIVE_INFINITY });
  return new Held([{ bytes: body, entries: reader.entries }]);
}

/** The body in pieces of these lengths, again and again. */
export function* inPieces(body: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const length = lengths[index % lengths.length] as number;
    yield body.subarray(at, at + length);
    at += length;
  }
}
