import { Dice, escaped } from './json-text.ts';

/** Bodies that are not as they should be: JSON as a tree of its tokens, changes of the tree, and changes of the bytes. */

/** JSON whose strings, numbers and names are as they are written. */
export type Json =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list' | 'object'; readonly parts: Part[] };

/** An entry of a list, or a member of an object with its name as JSON. */
export interface Part {
  name?: string;
  value: Json;
}

export const text = (value: string): Json => ({ kind: 'text', text: value });

export function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** The tree of a text. What is no JSON is one token. */
export function treeOf(value: string): Json {
  const tokens = isJson(value) ? (value.match(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s[\]{}:,"]+/g) ?? []) : [value];
  let at = 0;
  const read = (): Json => {
    const token = tokens[at] as string;
    at += 1;
    if ((token !== '[' && token !== '{') || tokens.length === 1) return text(token);
    const [kind, close] = token === '[' ? (['list', ']'] as const) : (['object', '}'] as const);
    const parts: Part[] = [];
    while (tokens[at] !== close) {
      const name = kind === 'object' ? tokens[at++] : undefined;
      parts.push({ ...(name !== undefined && { name }), value: read() });
    }
    at += 1;
    return { kind, parts };
  };
  return read();
}

/** The text of a tree. @param spaces white space, put between tokens in turn */
export function toText(json: Json, spaces: readonly string[]): string {
  let token = 0;
  const space = () => spaces[token++ % spaces.length] ?? '';
  const write = (value: Json): string => {
    if (value.kind === 'text') return space() + value.text + space();
    const inner = value.parts.map((part) => {
      const name = part.name === undefined ? '' : `${space()}${part.name}${space()}:`;
      return name + write(part.value);
    });
    const [open, close] = value.kind === 'list' ? '[]' : '{}';
    return `${space()}${open}${inner.length === 0 ? space() : inner.join(',')}${close}${space()}`;
  };
  return write(json);
}

const nested = (depth: number, open = '[', inner = '', close = ']') => open.repeat(depth) + inner + close.repeat(depth);

/** Numbers that JSON.parse changes, and some that look like these. */
const LOSSY_NUMBERS = [
  ...'-0 -0.0 -0e1 -0.1 1E400 -1E400 1e308 1.8e308 -1e-400 0e400 1.5e1'.split(' '),
  ...'9223372036854775808 -9223372036854775809 10000000000000000000'.split(' '),
  ...['1'.repeat(400), `1${'0'.repeat(308)}`, `1${'0'.repeat(309)}`],
  ...[`0.${'0'.repeat(400)}1`, `-0.${'0'.repeat(400)}1`, `-0.${'0'.repeat(30)}`],
];

/** Values that may stand anywhere, of which few belong there. */
const VALUES = [
  ...'null 5 "5" 1.5 true false "" [] {} [null] [5] ["x"] ["x",null,"y"] [{}] [[]] "\\ud800" "NaN" -0.0 1e999'.split(
    ' ',
  ),
  ...'{"name":"m","value":1} [{"name":"m","value":1}] [{"name":"m","value":"1"}] "\\uDFFF\\ud800"'.split(' '),
  '[{"value_date":"d","metrics":[{"name":"m","value":1}]}]',
  '{"__proto__":{"asset_id":"a"},"__proto__":5}',
  '{"results":[],"results":{},"asset\\u005fid":1}',
  '{"value_date":5,"value_date":"d","metrics":5,"metrics":[5,{"name":5,"name":"m","value":"1","value":-0.0}]}',
  '{"met\\u0072ics":[{"n\\u0061me":"m","\\u0076alue":1}],"value\\u005fdate":"d"}',
  ...[20, 99, 101, 200, 990].map((depth) => nested(depth)),
  nested(120, '{"a":', '1', '}'),
  nested(490, '{"a":[true,', '"\\n"', ']}'),
];

/** What is no JSON. */
const BROKEN = [
  ...'nul nulll True fals undefined NaN Infinity -Infinity 01 -01 00 1. .5 +1 - -.5 1e 1e+ 0x1 1_0 1, [,] [1,]'.split(
    ' ',
  ),
  ...`{,} {"a"} {"a":1,} {"a":} {a:1} 'x' " "\\ "\\u12" "\\u12G4" "\\x41" "\\U0041" /**/1`.split(' '),
  ...['', '{"a":1 "b":1}', '[1 1]', '"a\tb"', '"a\nb"', '"a\u0000b"', '"a\u001fb"', '\u00a01', '\u000b1', '\ufeff1'],
  ...['['.repeat(20_000), `${'['.repeat(200)}}${']'.repeat(199)}`],
];

const NAMES =
  'asset_id results metrics value_date name value assets asset_version __proto__ constructor toString unknown '.split(
    ' ',
  );

/** A change at one place of a body. */
export interface Tampering {
  readonly kind: 'replace' | 'number' | 'drop' | 'repeat' | 'add' | 'escape' | 'break';
  readonly where: number;
  readonly look: number;
}

/** A place in a body. */
interface Slot {
  readonly siblings: Part[];
  readonly place: number;
  readonly part: Part;
}

export function slotsIn(json: Json): Slot[] {
  if (json.kind === 'text') return [];
  const siblings = json.parts;
  return siblings.flatMap((part, place) => [{ siblings, place, part }, ...slotsIn(part.value)]);
}

export function startsLike(pattern: RegExp, { value }: Part): boolean {
  return value.kind === 'text' && pattern.test(value.text);
}

const newValues: Partial<Record<Tampering['kind'], readonly string[]>> = { number: LOSSY_NUMBERS, break: BROKEN };

export function tamper(body: Json, { kind, where, look }: Tampering): void {
  const dice = new Dice(look);
  const slots = slotsIn(body).filter(({ part }) => kind !== 'number' || startsLike(/^[-\d]/, part));
  const slot = slots[where % slots.length];
  if (slot === undefined) return;
  const { siblings, place, part } = slot;
  const value = text(dice.of(newValues[kind] ?? VALUES));
  const isMember = part.name !== undefined;
  if (kind === 'break' && dice.oneIn(4)) {
    // A comma too many, perhaps at an end.
    siblings.splice(dice.below(siblings.length + 1), 0, { value: text('') });
  } else if (kind === 'drop') {
    siblings.splice(place, 1);
  } else if (kind === 'add') {
    siblings.splice(place, 0, isMember ? { name: JSON.stringify(dice.of(NAMES)), value } : { value });
  } else if (kind === 'repeat') {
    const repeated = dice.oneIn(2) ? { ...part, value } : { ...part };
    if (isMember && dice.oneIn(3)) repeated.name = escaped(JSON.parse(part.name ?? ''));
    siblings.splice(dice.below(siblings.length + 1), 0, repeated);
  } else if (kind === 'escape' && isMember) {
    part.name = escaped(JSON.parse(part.name ?? ''));
  } else {
    part.value = value;
  }
}

/** A change of the bytes, wherever that is. */
export interface Damage {
  readonly kind: 'flip' | 'insert' | 'delete' | 'cut' | 'append' | 'prepend';
  /** The place, from 0 to 1. */
  readonly at: number;
  readonly bytes: Buffer;
}

export function damaged(body: Buffer, { kind, at, bytes }: Damage): Buffer {
  const place = Math.floor(at * body.length);
  const [before, after] = [body.subarray(0, place), body.subarray(place)];
  const flipped = Buffer.from([(after[0] ?? 0) ^ (1 << ((bytes[0] ?? 0) & 7))]);
  const parts: Record<Damage['kind'], Buffer[]> = {
    flip: [before, flipped, after.subarray(1)],
    insert: [before, bytes, after],
    delete: [before, after.subarray(1)],
    cut: [before],
    append: [body, bytes],
    prepend: [bytes, body],
  };
  return Buffer.concat(parts[kind]);
}

export const BYTES = [
  ...[...'"\\{}[],:01-.eu \n\t\u0000\u001f\u007fä💥\ufeff', '{}'].map((inserted) => Buffer.from(inserted)),
  // No UTF-8: a byte that never occurs, beginnings, ends, too long a form, half a surrogate pair, beyond the last plane.
  ...['ff', '80', 'c3', 'e282', 'c0af', 'eda080', 'f4908080'].map((inserted) => Buffer.from(inserted, 'hex')),
];
