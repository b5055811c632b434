import fc from 'fast-check';
import { ASSET_IDS, METRIC_NAMES } from './fast-path-selections.ts';

/**
 * Random bodies of results answers, as text that is built here token by token: JSON.stringify would never write most
 * of what has to be read. Most bodies are sane, if strangely written; some have been tampered with.
 */

/** A body, as the service would send it to one filter. */
export interface Body {
  /** The bytes of the answer that holds these assets; all, where undefined. */
  bytes(assetIds: readonly string[] | undefined, hasRange: boolean): Buffer;
  [fc.toStringMethod](): string;
}

/** JSON before it is text. */
type Json =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list' | 'object'; readonly parts: Part[] };

/** An entry of a list, or a member of an object with its name as JSON. */
interface Part {
  name?: string;
  value: Json;
}

/** Chooses by a seed; the seed 0 makes every choice the first, so that counterexamples come out simple. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    if (this.#state === 0) return 0;
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  oneIn(count: number): boolean {
    return this.below(count) === count - 1;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    const shuffled: T[] = [];
    while (left.length > 0) shuffled.push(...left.splice(this.below(left.length), 1));
    return shuffled;
  }
}

const text = (value: string): Json => ({ kind: 'text', text: value });
const list = (items: Json[]): Json => ({ kind: 'list', parts: items.map((value) => ({ value })) });
const object = (members: Record<string, Json | undefined>, dice: Dice): Json => {
  const named = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name: JSON.stringify(name), value }],
  );
  return { kind: 'object', parts: dice.oneIn(3) ? dice.shuffled(named) : named };
};

/** Strings as JSON; two of them hold half a surrogate pair. */
const STRINGS = [
  '"x"',
  '""',
  '"Größe 💥"',
  '"\u2028\u2029\u007f\ufeff"',
  '"\\u00e9\\n\\/\\\\\\""',
  '"\\ud83d\\udca5"',
  '"\\ud800"',
  '"\\udca5 x"',
  '"}],[{"',
  '"__proto__"',
];

/** Numbers that are passed on with their value, whatever they look like. */
const NUMBERS = [
  '1',
  '0',
  '-1.5',
  '0.1e1',
  '1E+2',
  '1.0',
  '-0.5',
  '5e-324',
  '1e-400',
  '0e5',
  '0.0',
  '-0',
  '-0.0',
  '-0e5',
  '-1e-400',
  '9007199254740993',
  '12345678901234567890',
  '0.1000000000000000055511151231257827021181583404541015625',
  '1.7976931348623157e308',
  '9'.repeat(40),
];

const INTEGERS = [
  '1',
  '0',
  '2',
  '-1',
  '-0',
  '999999999999999',
  '1000000000000000',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];

/** A string as JSON, with every character escaped. */
function escaped(value: string): string {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit, at) => `\\u${at % 2 === 0 ? unit : unit.toUpperCase()}`).join('')}"`;
}

const stringOf = (value: string, dice: Dice): Json => text(dice.oneIn(5) ? escaped(value) : JSON.stringify(value));

/** Nulls and absences, now and then. */
function perhaps(value: Json, dice: Dice): Json | undefined {
  const fate = dice.below(24);
  return fate === 22 ? undefined : fate === 23 ? text('null') : value;
}

/** Chooses the name of the metric at a place in its row. */
type Namer = (place: number, dice: Dice) => Json;

const namers: readonly Namer[] = [
  (place, dice) => text(JSON.stringify(METRIC_NAMES[dice.oneIn(12) ? dice.below(3) : place])),
  (_place, dice) => stringOf(dice.of(METRIC_NAMES), dice),
  (_place, dice) => text(`"k${dice.below(40)}"`),
  // A new one each time, so that hardly any two rows look alike.
  (_place, dice) => text(`"u${dice.below(2 ** 31)}"`),
];

/** A row; what decides on its values can be another than what decides on the rest. */
function rowOf(index: number, metricCount: number, nameAt: Namer, dice: Dice, values = dice): Json {
  const unknown = () => (dice.oneIn(20) ? text(values.of(VALUES)) : undefined);
  const metrics = Array.from({ length: metricCount }, (_, place) =>
    object(
      { name: perhaps(nameAt(place, dice), dice), value: perhaps(text(values.of(NUMBERS)), dice), more: unknown() },
      dice,
    ),
  );
  return object(
    {
      value_date: perhaps(text(values.oneIn(6) ? values.of(STRINGS) : `"2024-01-0${index + 1}"`), dice),
      metrics: perhaps(list(metrics), dice),
      more: unknown(),
    },
    dice,
  );
}

/** Rows as a service writes them: all alike, but for their values. */
function rowsAlike(count: number, metricCount: number, nameAt: Namer, dice: Dice): Json[] {
  const look = dice.below(2 ** 31);
  return Array.from({ length: count }, (_, index) => rowOf(index, metricCount, nameAt, new Dice(look), dice));
}

/** What an asset is made from. */
interface AssetSeed {
  readonly id: string;
  /** The number of metrics of each row. */
  readonly rows: readonly number[];
  readonly look: number;
}

function assetOf({ id, rows, look }: AssetSeed): Json {
  const dice = new Dice(look);
  const string = () => perhaps(text(dice.of(STRINGS)), dice);
  const number = () => perhaps(text(dice.of(NUMBERS)), dice);
  const integer = () => perhaps(text(dice.of(INTEGERS)), dice);
  const nameAt = namers[dice.oneIn(8) ? 1 : 0] as Namer;
  const [metricCount = 1] = rows;
  const series = dice.oneIn(2)
    ? rowsAlike(rows.length, metricCount, nameAt, dice)
    : rows.map((metrics, index) => rowOf(index, metrics, nameAt, dice));
  const all = {
    asset_id: stringOf(id, dice),
    asset_name: string(),
    asset_version: integer(),
    asset_categories: perhaps(list([text(dice.of(STRINGS)), text(dice.oneIn(4) ? 'null' : '"y"')]), dice),
    asset_centroid_latitude: number(),
    asset_centroid_longitude: number(),
    asset_surface_area_m2: number(),
    parent_asset_id: string(),
    parent_asset_name: string(),
    parent_asset_version: integer(),
    results: perhaps(list(series), dice),
  };
  return object(dice.oneIn(2) ? { asset_id: all.asset_id, results: all.results } : all, dice);
}

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
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const VALUES = [
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
  nested(5000),
  `${'{"a":[true,'.repeat(5000)}"\\n"${']}'.repeat(5000)}`,
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
interface Tampering {
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

function slotsIn(json: Json): Slot[] {
  if (json.kind === 'text') return [];
  const siblings = json.parts;
  return siblings.flatMap((part, place) => [{ siblings, place, part }, ...slotsIn(part.value)]);
}

function startsLike(pattern: RegExp, { value }: Part): boolean {
  return value.kind === 'text' && pattern.test(value.text);
}

const newValues: Partial<Record<Tampering['kind'], readonly string[]>> = { number: EXOTIC_NUMBERS, break: BROKEN };

function tamper(body: Json, { kind, where, look }: Tampering): void {
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
interface Damage {
  readonly kind: 'flip' | 'insert' | 'delete' | 'cut' | 'append' | 'prepend';
  /** The place, from 0 to 1. */
  readonly at: number;
  readonly bytes: Buffer;
}

function damaged(body: Buffer, { kind, at, bytes }: Damage): Buffer {
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

const BYTES = [
  ...[...'"\\{}[],:01-.eu \n\t\u0000\u001f\u007fä💥\ufeff', '{}'].map((inserted) => Buffer.from(inserted)),
  // No UTF-8: a byte that never occurs, beginnings, ends, too long a form, half a surrogate pair, beyond the last plane.
  ...['ff', '80', 'c3', 'e282', 'c0af', 'eda080', 'f4908080'].map((inserted) => Buffer.from(inserted, 'hex')),
];

/** How a body comes to many bytes, and about to how many. */
interface Bulk {
  readonly by: 'string' | 'rows' | 'assets' | 'ignored' | 'row';
  readonly bytes: number;
}

/** What a body is made from. */
interface BodySeed {
  readonly assets: readonly AssetSeed[];
  readonly look: number;
  /** White space, put between tokens in turn. */
  readonly spaces: readonly string[];
  readonly tamperings: readonly Tampering[];
  readonly damages: readonly Damage[];
  readonly bulk: Bulk | undefined;
}

/** A value that is too long to be read in one go: of a member that nobody asks for, or a row. */
function longValue(by: 'ignored' | 'row', bytes: number, dice: Dice): Json {
  const repeat = (chunk: string) => chunk.repeat(Math.ceil(bytes / chunk.length));
  if (by === 'row') {
    const odd = dice.of(['', '5,', 'null,', '{"name":5},', '{"value":1e999},']);
    const metrics = `[${odd}${repeat('{"name":"m","value":-0.0},')}{"name":"n","value":1}]`;
    const parts = [`"value_date":${dice.of(['"d"', '5', 'null', '"\\u0064"'])}`, `"metrics":${metrics}`];
    const extra = dice.of(['', ',"metrics":[{"name":"k","value":2}]', ',"value_date":"e"', `,"x":"${repeat('y')}"`]);
    return text(`{${dice.shuffled(parts).join()}${extra}}`);
  }
  const values = [
    `[${repeat('{"a":[1,-0.5e+3,true,null,"\\u00e9"]} , ')}0]`,
    `"${repeat('ä\\n💥')}"`,
    repeat('9'),
    `0.${repeat('0')}1`,
    `{${repeat('"b" : {"c":[]},')}"d":false}`,
    `[${repeat(' \n')}]`,
    nested(Math.floor(bytes / 2)),
    `["${repeat('x')}",]`,
    `{"${repeat('name')}":1}`,
  ];
  return text(dice.of(values));
}

function addBulk(assets: Json[], { by, bytes }: Bulk, dice: Dice): void {
  if (by === 'ignored' || by === 'row') {
    const value = longValue(by, bytes, dice);
    const objects = assets.flatMap(slotsIn).filter(({ part }) => part.name !== undefined);
    const slot = objects[dice.below(objects.length)];
    if (by === 'row') assets.push(object({ asset_id: text('"long"'), results: list([value]) }, dice));
    else if (slot === undefined) assets.push(object({ asset_id: text('"a"'), more: value }, dice));
    else slot.siblings.splice(slot.place, 0, { name: dice.oneIn(2) ? '"more"' : (slot.part.name ?? ''), value });
  } else if (by === 'string') {
    const chunk = dice.of(['x', 'ä💥', '\\n', '\\ud800']);
    const long = text(`"${chunk.repeat(bytes / chunk.length)}"`);
    const strings = assets.flatMap(slotsIn).filter(({ part }) => startsLike(/^"/, part));
    const slot = strings[dice.below(strings.length)];
    if (slot === undefined) assets.push(object({ asset_id: long }, dice));
    else slot.part.value = long;
  } else if (by === 'rows') {
    const nameAt = namers[dice.of([0, 2, 3])] as Namer;
    const count = bytes / 100;
    const rows = dice.oneIn(2)
      ? rowsAlike(count, 2, nameAt, dice)
      : Array.from({ length: count }, (_, index) => rowOf(index % 9, 2, nameAt, dice));
    assets.push(object({ asset_id: text('"a"'), results: list(rows) }, dice));
  } else {
    for (let index = 0; index < bytes / 1000; index += 1) {
      assets.push(assetOf({ id: `many ${index}`, rows: [2, 1, 2], look: dice.below(2 ** 31) }));
    }
  }
}

function toText(json: Json, spaces: readonly string[]): string {
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

/** The id of an asset's entry, as JSON.parse sees it; undefined where there is none. */
function idOf(entry: Json, spaces: readonly string[]): unknown {
  try {
    return JSON.parse(toText(entry, spaces)).asset_id;
  } catch {
    return undefined;
  }
}

function toBody({ assets, look, spaces, tamperings, damages, bulk }: BodySeed): Body {
  const dice = new Dice(look);
  const entries = assets.map(assetOf);
  if (bulk !== undefined) addBulk(entries, bulk, dice);
  const whole = object(
    {
      processing_id: perhaps(text(dice.of(STRINGS)), dice),
      assets: list(entries),
      source_id: perhaps(text(dice.of(STRINGS)), dice),
      ...(dice.oneIn(4) && { unknown: text(dice.of(VALUES)) }),
    },
    dice,
  );
  if (dice.oneIn(20) && whole.kind === 'object') {
    const earlier = dice.oneIn(2) ? text(dice.of(VALUES)) : list([text('5'), text('{}'), ...assets.map(assetOf)]);
    whole.parts.unshift({ name: dice.oneIn(2) ? '"assets"' : escaped('assets'), value: earlier });
  }
  for (const tampering of tamperings) tamper(whole, tampering);

  // Read once: a body may be asked for hundreds of filters.
  const ids = new Map<Json, unknown>();
  const readId = (entry: Json): unknown => {
    if (!ids.has(entry)) ids.set(entry, idOf(entry, spaces));
    return ids.get(entry);
  };
  const isAsked = (assetIds: readonly unknown[] | undefined, entry: Json) => {
    if (assetIds === undefined) return true;
    const id = readId(entry);
    return typeof id !== 'string' || assetIds.includes(id);
  };
  const select = (assetIds: readonly unknown[] | undefined, hasRange: boolean): Json => {
    if (whole.kind === 'text' || (assetIds === undefined && !hasRange)) return whole;
    const parts = whole.parts.map((part) => {
      const { name, value } = part;
      if (value.kind !== 'list' || name !== '"assets"') return part;
      const asked = value.parts.filter(
        (entry, index) => isAsked(assetIds, entry.value) && !(hasRange && index % 3 === 1),
      );
      return { name, value: { ...value, parts: asked } };
    });
    return { ...whole, parts };
  };
  return {
    bytes: (assetIds, hasRange) => {
      let bytes: Buffer = Buffer.from(toText(select(assetIds, hasRange), spaces));
      for (const damage of damages) bytes = damaged(bytes, damage);
      // Damage may turn one id into another; a service that answers so would not have its calls shared any more.
      const isResponse = assetIds === undefined || idsIn(bytes).every((id) => assetIds.includes(id));
      return isResponse ? bytes : Buffer.from('{}');
    },
    [fc.toStringMethod]: () => JSON.stringify(toText(whole, spaces).slice(0, 20_000)) + JSON.stringify(damages),
  };
}

/** The ids of the assets that an answer holds, as far as it can be read. */
export function idsIn(bytes: Buffer): string[] {
  try {
    const { assets } = JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
    return assets
      .map((asset: { asset_id?: unknown } | null) => asset?.asset_id)
      .filter((id: unknown) => typeof id === 'string');
  } catch {
    return [];
  }
}

const look = fc.nat(2 ** 31 - 1);

const assetSeed: fc.Arbitrary<AssetSeed> = fc.record({
  id: fc.constantFrom(...ASSET_IDS.slice(0, -1)),
  rows: fc.array(fc.constantFrom(2, 1, 3, 0), { maxLength: 6, size: 'max' }),
  look,
});

const tampering: fc.Arbitrary<Tampering> = fc.record({
  kind: fc.constantFrom('replace', 'drop', 'repeat', 'add', 'escape', 'number', 'number', 'break'),
  where: fc.nat(1000),
  look,
});

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'insert', 'delete', 'cut', 'append', 'prepend'),
  at: fc.nat(10_000).map((at) => at / 10_000),
  bytes: fc.constantFrom(...BYTES),
});

/** Mostly none, sometimes one, seldom several. */
const few = <T>(arbitrary: fc.Arbitrary<T>, none: number) =>
  fc.oneof(
    { weight: none, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.tuple(arbitrary) },
    { weight: 1, arbitrary: fc.array(arbitrary, { minLength: 2, maxLength: 4 }) },
  );

const bulk: fc.Arbitrary<Bulk> = fc.record({
  by: fc.constantFrom('string', 'rows', 'assets', 'ignored', 'row'),
  bytes: fc.constantFrom(10_000, 60_000, 70_000, 130_000, 200_000, 300_000, 400_000, 600_000, 3_000_000),
});

/** Random bodies. */
export const bodies: fc.Arbitrary<Body> = fc
  .record({
    assets: fc.array(assetSeed, { maxLength: 5, size: 'max' }),
    look,
    spaces: fc.oneof(
      { weight: 3, arbitrary: fc.constant(['']) },
      {
        weight: 1,
        arbitrary: fc.array(fc.constantFrom('', '', '', ' ', '\n', '\r\n\t'), { minLength: 1, maxLength: 9 }),
      },
    ),
    tamperings: few(tampering, 7),
    damages: few(damage, 40),
    bulk: fc.oneof({ weight: 100, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bulk }),
  })
  .map(toBody);
