import { Dice, escaped, type Json, type Part, text } from './json-text.ts';
import type { AssetSeed } from './random-assets.ts';

/** Numbers that JSON.parse changes, and some that look like these. */
const EXOTIC_NUMBERS = [
  '-0',
  '-0.0',
  '-0e1',
  '-0.1',
  '1E400',
  '-1E400',
  '1e308',
  '1.8e308',
  '-1e-400',
  '0e400',
  '9223372036854775808',
  '-9223372036854775809',
  '1.5e1',
  `1${'0'.repeat(19)}`,
  '1'.repeat(400),
  `1${'0'.repeat(308)}`,
  `1${'0'.repeat(309)}`,
  `0.${'0'.repeat(400)}1`,
  `-0.${'0'.repeat(400)}1`,
  `-0.${'0'.repeat(30)}`,
];

/** Values that may stand anywhere, of which few belong there. */
export const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
export const VALUES = [
  'null',
  '5',
  '"5"',
  '1.5',
  'true',
  'false',
  '""',
  '[]',
  '{}',
  '[null]',
  '[5]',
  '["x"]',
  '["x",null,"y"]',
  '[{}]',
  '[[]]',
  '[{"name":"m","value":1}]',
  '[{"name":"m","value":"1"}]',
  '[{"value_date":"d","metrics":[{"name":"m","value":1}]}]',
  '{"name":"m","value":1}',
  '{"__proto__":{"asset_id":"a"},"__proto__":5}',
  '{"results":[],"results":{},"asset\\u005fid":1}',
  '"\\ud800"',
  '"\\uDFFF\\ud800"',
  '"NaN"',
  '-0.0',
  '1e999',
  '{"value_date":5,"value_date":"d","metrics":5,"metrics":[5,{"name":5,"name":"m","value":"1","value":-0.0}]}',
  '{"met\\u0072ics":[{"n\\u0061me":"m","\\u0076alue":1}],"value\\u005fdate":"d"}',
  nested(20),
  nested(99),
  nested(101),
  `${'{"a":'.repeat(120)}1${'}'.repeat(120)}`,
  nested(200),
  nested(990),
  `${'{"a":[true,'.repeat(490)}"\\n"${']}'.repeat(490)}`,
];

/** What is no JSON. */
const BROKEN = [
  '',
  'nul',
  'nulll',
  'True',
  'fals',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '01',
  '-01',
  '00',
  '1.',
  '.5',
  '+1',
  '-',
  '-.5',
  '1e',
  '1e+',
  '0x1',
  '1_0',
  '1,',
  '[,]',
  '[1,]',
  '{,}',
  '{"a"}',
  '{"a":1,}',
  '{"a":1 "b":1}',
  '[1 1]',
  '{"a":}',
  '{a:1}',
  "'x'",
  '"',
  '"\\',
  '"\\u12"',
  '"\\u12G4"',
  '"\\x41"',
  '"\\U0041"',
  '"a\tb"',
  '"a\nb"',
  '"a\u0000b"',
  '"a\u001fb"',
  '/**/1',
  '\u00a01',
  '\u000b1',
  '\ufeff1',
  '['.repeat(20_000),
  `${'['.repeat(200)}}${']'.repeat(199)}`,
];

const NAMES = [
  'asset_id',
  'results',
  'metrics',
  'value_date',
  'name',
  'value',
  'assets',
  'asset_version',
  '__proto__',
  'constructor',
  'toString',
  'unknown',
  '',
];

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

const newValues: Partial<Record<Tampering['kind'], readonly string[]>> = { number: EXOTIC_NUMBERS, break: BROKEN };

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
  const place = Math.min(Math.floor(at * body.length), body.length);
  const [before, after] = [body.subarray(0, place), body.subarray(place)];
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << ((bytes[0] ?? 0) & 7))]), after.subarray(1)]);
    case 'insert':
      return Buffer.concat([before, bytes, after]);
    case 'delete':
      return Buffer.concat([before, after.subarray(1)]);
    case 'cut':
      return before;
    case 'append':
      return Buffer.concat([body, bytes]);
    case 'prepend':
      return Buffer.concat([bytes, body]);
  }
}

export const BYTES = [
  ...[...'"\\{}[],:01-.eu \n\t\u0000\u001f\u007fä💥\ufeff', '{}'].map((inserted) => Buffer.from(inserted)),
  // No UTF-8: a byte that never occurs, beginnings, ends, too long a form, half a surrogate pair, beyond the last plane.
  ...['ff', '80', 'c3', 'e282', 'c0af', 'eda080', 'f4908080'].map((inserted) => Buffer.from(inserted, 'hex')),
];

/** How a body comes to many bytes, and about to how many. */
export interface Bulk {
  readonly by: 'string' | 'rows' | 'assets' | 'ignored' | 'row';
  readonly bytes: number;
}

/** What a body is made from. */
export interface BodySeed {
  readonly assets: readonly AssetSeed[];
  readonly look: number;
  /** White space, put between tokens in turn. */
  readonly spaces: readonly string[];
  readonly tamperings: readonly Tampering[];
  readonly damages: readonly Damage[];
  readonly bulk: Bulk | undefined;
}
