import { drive, open, Selection } from '../index.ts';
import { askedOf, builderOf } from './selections.ts';

export type Body = Iterable<Buffer> | AsyncIterable<Buffer>;

/** Writes what is selected of a body, and gives its bytes to `send`. */
export type Contestant = (body: Body, send: (bytes: Buffer) => void) => Promise<void>;

/** Those that write the same bytes, for a selection. */
export const contestants: Readonly<Record<string, (name: string) => Contestant>> = {
  engine(name) {
    const selection = new Selection({ entries: askedOf(name) });
    return async (body, send) => {
      const reader = open(selection, { work: Number.POSITIVE_INFINITY });
      for await (const piece of drive(reader, [body])) send(piece);
    };
  },

  'JSON.parse of all'(name) {
    const build = builderOf(name);
    return async (body, send) => {
      const { assets } = JSON.parse((await joined(body)).toString());
      send(Buffer.from(JSON.stringify(assets.map(build))));
    };
  },

  'JSON.parse of each asset'(name) {
    const build = builderOf(name);
    return async (body, send) => {
      const bytes = await joined(body);
      let before = '[';
      for (const [start, end] of assetsIn(bytes)) {
        send(Buffer.from(before + JSON.stringify(build(JSON.parse(bytes.toString('utf8', start, end))))));
        before = ',';
      }
      send(Buffer.from(']'));
    };
  },
};

async function joined(body: Body): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/** Where each object of the list `assets` is, which is the first member. */
function* assetsIn(bytes: Buffer): Generator<[start: number, end: number]> {
  let depth = 0;
  let start = 0;
  for (let at = bytes.indexOf('[') + 1; depth > 0 || bytes[at] !== 0x5d; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      at += 1;
      while (bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) yield [start, at + 1];
    }
  }
}
