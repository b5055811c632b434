import fc from 'fast-check';
import {
  type BodySeed,
  type Bulk,
  BYTES,
  type Damage,
  damaged,
  nested,
  slotsIn,
  startsLike,
  type Tampering,
  tamper,
  VALUES,
} from './body-damage.ts';
import { Dice, escaped, type Json, list, object, perhaps, STRINGS, text } from './json-text.ts';
import { type AssetSeed, assetOf, type Namer, namers, rowOf, rowsAlike } from './random-assets.ts';
import { ASSET_IDS } from './results-selections.ts';

/** Random bodies of results responses. Most are valid, if strangely written; some have been tampered with. */

/** A body, as the service would send it to one filter. */
export interface Body {
  /** The bytes of the answer that holds these assets; all, where undefined. */
  bytes(assetIds: readonly string[] | undefined, hasRange: boolean): Buffer;
  /** Whether each filter has a part of what all assets have. Damage is elsewhere for each filter, and some lists cannot be filtered. */
  readonly isFiltered: boolean;
  [fc.toStringMethod](): string;
}

/** Characters of fewer bytes than an attribute may have, and half of those of a row. */
const MAX_STRING_CHARACTERS = 450_000;

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
    nested(990),
    `["${repeat('x')}",]`,
    `{"${repeat('name')}":1}`,
  ];
  return text(dice.of(values));
}

function addBulk(assets: Json[], { by, bytes }: Bulk, dice: Dice): void {
  if (by === 'ignored' || by === 'row') {
    const value = longValue(by, Math.min(bytes, MAX_STRING_CHARACTERS), dice);
    const objects = assets.flatMap(slotsIn).filter(({ part }) => part.name !== undefined);
    const slot = objects[dice.below(objects.length)];
    if (by === 'row') assets.push(object({ asset_id: text('"long"'), results: list([value]) }, dice));
    else if (slot === undefined) assets.push(object({ asset_id: text('"a"'), more: value }, dice));
    else slot.siblings.splice(slot.place, 0, { name: dice.oneIn(2) ? '"more"' : (slot.part.name ?? ''), value });
  } else if (by === 'string') {
    const chunk = dice.of(['x', 'ä💥', '\\n', '\\ud800']);
    const long = text(`"${chunk.repeat(Math.min(bytes, MAX_STRING_CHARACTERS) / chunk.length)}"`);
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
  const bytesOf = (assetIds: readonly string[] | undefined, hasRange: boolean): Buffer => {
    let bytes: Buffer = Buffer.from(toText(select(assetIds, hasRange), spaces));
    for (const damage of damages) bytes = damaged(bytes, damage);
    return bytes;
  };
  // Damage may turn one id into another; a service that answers so would not have its calls shared any more.
  const isResponse = (bytes: Buffer, assetIds: readonly string[] | undefined) =>
    assetIds === undefined || idsIn(bytes).every((id) => assetIds.includes(id));
  return {
    bytes: (assetIds, hasRange) => {
      const bytes = bytesOf(assetIds, hasRange);
      return isResponse(bytes, assetIds) ? bytes : Buffer.from('{}');
    },
    get isFiltered() {
      if (damages.length > 0 || !isJson(bytesOf(undefined, false))) return false;
      return ASSET_IDS.every((id) => isResponse(bytesOf([id], false), [id]));
    },
    [fc.toStringMethod]: () => JSON.stringify(toText(whole, spaces).slice(0, 20_000)) + JSON.stringify(damages),
  };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
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

/** Random bodies, with such a bulk. */
function bodiesWith(bulks: fc.Arbitrary<Bulk | undefined>): fc.Arbitrary<Body> {
  return fc
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
      bulk: bulks,
    })
    .map(toBody);
}

/** Random bodies, of which few are large. */
export const bodies = bodiesWith(
  fc.oneof({ weight: 100, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bulk }),
);

/** Random bodies that are read and completed in one turn of the event loop, so that nothing depends on the clock. */
export const smallBodies = bodiesWith(fc.constant(undefined));
