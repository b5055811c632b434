import fc from 'fast-check';
import { type DatasetSeed, datasetSeeds, randomBody } from '../oracle/random-service.ts';
import {
  BYTES,
  type Damage,
  damaged,
  isJson,
  type Json,
  slotsIn,
  startsLike,
  type Tampering,
  tamper,
  text,
  toText,
  treeOf,
} from './body-damage.ts';
import { Dice } from './json-text.ts';
import { ASSET_IDS } from './results-selections.ts';

/** Random bodies of results responses: those of random datasets. Most are valid, if strangely written; some have been tampered with. */

/** A body, as the service would send it to one filter. */
export interface Body {
  /** The bytes of the response that holds these assets; all, where undefined. */
  bytes(assetIds: readonly string[] | undefined, hasRange: boolean): Buffer;
  /** Whether each filter has a part of what all assets have. Damage is elsewhere for each filter, and some lists cannot be filtered. */
  readonly isFiltered: boolean;
  [fc.toStringMethod](): string;
}

/** How a body comes to many bytes, and about to how many. */
interface Bulk {
  readonly by: 'string' | 'rows' | 'assets' | 'ignored' | 'row';
  readonly bytes: number;
}

/** What a body is made from. */
interface BodySeed {
  readonly dataset: DatasetSeed;
  readonly look: number;
  /** White space, put between tokens in turn. */
  readonly spaces: readonly string[];
  readonly tamperings: readonly Tampering[];
  readonly damages: readonly Damage[];
  readonly bulk: Bulk | undefined;
}

/** Characters of fewer bytes than an attribute may have, and half of those of a row. */
const MAX_STRING_CHARACTERS = 450_000;

const rowWith = (metrics: string, date = '"d"', more = '') => `{"value_date":${date},"metrics":${metrics}${more}}`;

/** A row that is too long to be read in one go. */
function longRow(filled: (chunk: string) => string, dice: Dice): string {
  const odd = dice.of(['', '5,', 'null,', '{"name":5},', '{"value":1e999},']);
  const more = dice.of(['', ',"metrics":[{"name":"k","value":2}]', ',"value_date":"e"', `,"x":"${filled('y')}"`]);
  const metrics = `[${odd}${filled('{"name":"m","value":-0.0},')}{"name":"n","value":1}]`;
  return rowWith(metrics, dice.of(['"d"', '5', 'null', '"\\u0064"']), more);
}

/** Values that are too long to be read in one go, of a member that nobody asks for. */
const longValues = (filled: (chunk: string) => string) => [
  `[${filled('{"a":[1,-0.5e+3,true,null,"\\u00e9"]} , ')}0]`,
  `"${filled('ä\\n💥')}"`,
  filled('9'),
  `0.${filled('0')}1`,
  `{${filled('"b" : {"c":[]},')}"d":false}`,
  `[${filled(' \n')}]`,
  `${'['.repeat(990)}${']'.repeat(990)}`,
  `["${filled('x')}",]`,
  `{"${filled('name')}":1}`,
];

function addBulk(assets: Json, { by, bytes }: Bulk, dice: Dice): void {
  if (assets.kind === 'text') return;
  const most = by === 'rows' || by === 'assets' ? bytes : Math.min(bytes, MAX_STRING_CHARACTERS);
  const filled = (chunk: string) => chunk.repeat(Math.ceil(most / chunk.length));
  const add = (entry: string) => assets.parts.push({ value: treeOf(entry) });
  const addRows = (...rows: readonly string[]) => add(`{"asset_id":"a","results":[${rows.join()}]}`);
  const slotOf = (slots: ReturnType<typeof slotsIn>) => slots[dice.below(slots.length)];
  if (by === 'row') addRows(longRow(filled, dice));
  else if (by === 'rows') {
    const names = dice.of([['m'], ['m', 'n'], Array.from({ length: 40 }, (_, index) => `k${index}`)]);
    addRows(
      ...Array.from({ length: bytes / 100 }, (_, index) =>
        rowWith(`[{"name":"${dice.of(names)}","value":${index}.5},{"name":"n","value":null}]`, `"day ${index % 9}"`),
      ),
    );
  } else if (by === 'assets') {
    for (let index = 0; index < bytes / 1000; index += 1)
      add(
        `{"asset_id":"many ${index}","asset_version":${index % 3},"results":[${Array(9).fill(rowWith('[]')).join()}]}`,
      );
  } else if (by === 'string') {
    const long = text(`"${filled(dice.of(['x', 'ä💥', '\\n', '\\ud800']))}"`);
    const slot = slotOf(slotsIn(assets).filter(({ part }) => startsLike(/^"/, part)));
    if (slot !== undefined) slot.part.value = long;
  } else {
    const slot = slotOf(slotsIn(assets).filter(({ part }) => part.name !== undefined));
    const name = dice.oneIn(2) ? '"more"' : (slot?.part.name ?? '');
    slot?.siblings.splice(slot.place, 0, { name, value: text(dice.of(longValues(filled))) });
  }
}

/** The id of an asset's entry, as JSON.parse sees it; undefined where there is none. */
function idOf(entry: Json, spaces: readonly string[]): unknown {
  const written = toText(entry, spaces);
  return isJson(written) ? JSON.parse(written)?.asset_id : undefined;
}

const isAssets = ({ name, value }: { name?: string; value: Json }) => value.kind === 'list' && name === '"assets"';

function toBody({ dataset, look, spaces, tamperings, damages, bulk }: BodySeed): Body {
  const whole = treeOf(randomBody(dataset));
  const assets = whole.kind === 'text' ? undefined : whole.parts.find(isAssets)?.value;
  if (bulk !== undefined && assets !== undefined) addBulk(assets, bulk, new Dice(look));
  for (const tampering of tamperings) tamper(whole, tampering);

  // Read once: a body may be asked for hundreds of filters.
  const ids = new Map<Json, unknown>();
  const isAsked = (assetIds: readonly unknown[] | undefined, entry: Json) => {
    if (assetIds === undefined) return true;
    if (!ids.has(entry)) ids.set(entry, idOf(entry, spaces));
    const id = ids.get(entry);
    return typeof id !== 'string' || assetIds.includes(id);
  };
  const select = (assetIds: readonly unknown[] | undefined, hasRange: boolean): Json => {
    if (whole.kind === 'text' || (assetIds === undefined && !hasRange)) return whole;
    const parts = whole.parts.map((part) => {
      if (!isAssets(part) || part.value.kind === 'text') return part;
      const asked = part.value.parts.filter(
        (entry, index) => isAsked(assetIds, entry.value) && !(hasRange && index % 3 === 1),
      );
      return { ...part, value: { ...part.value, parts: asked } };
    });
    return { ...whole, parts };
  };
  const bytesOf = (assetIds: readonly string[] | undefined, hasRange: boolean): Buffer =>
    damages.reduce<Buffer>(damaged, Buffer.from(toText(select(assetIds, hasRange), spaces)));
  // Damage may turn one id into another; a service that answers so would not have its calls shared any more.
  const isResponse = (bytes: Buffer, assetIds: readonly string[] | undefined) =>
    assetIds === undefined || idsIn(bytes).every((id) => assetIds.includes(id));
  return {
    bytes: (assetIds, hasRange) => {
      const bytes = bytesOf(assetIds, hasRange);
      return isResponse(bytes, assetIds) ? bytes : Buffer.from('{}');
    },
    get isFiltered() {
      if (damages.length > 0 || !isJson(bytesOf(undefined, false).toString())) return false;
      return ASSET_IDS.every((id) => isResponse(bytesOf([id], false), [id]));
    },
    [fc.toStringMethod]: () => JSON.stringify(toText(whole, spaces).slice(0, 20_000)) + JSON.stringify(damages),
  };
}

/** The ids of the assets that a response holds, as far as it can be read. */
export function idsIn(bytes: Buffer): string[] {
  const body = bytes.toString().replace(/^\ufeff/, '');
  const assets: unknown = isJson(body) ? JSON.parse(body)?.assets : undefined;
  const ids = Array.isArray(assets) ? assets.map((asset) => asset?.asset_id) : [];
  return ids.filter((id) => typeof id === 'string');
}

const look = fc.nat(2 ** 31 - 1);

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

const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t');

/** Random bodies, with such a bulk. */
function bodiesWith(bulks: fc.Arbitrary<Bulk | undefined>): fc.Arbitrary<Body> {
  const seeds: fc.Arbitrary<BodySeed> = fc.record({
    dataset: datasetSeeds({ rows: fc.nat(6), entries: 5, odd: 6 }),
    look,
    spaces: fc.oneof(
      { weight: 3, arbitrary: fc.constant(['']) },
      { weight: 1, arbitrary: fc.array(space, { minLength: 1, maxLength: 9 }) },
    ),
    tamperings: few(tampering, 7),
    damages: few(damage, 40),
    bulk: bulks,
  });
  return seeds.map(toBody);
}

/** Random bodies, of which few are large. */
export const bodies = bodiesWith(
  fc.oneof({ weight: 100, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bulk }),
);

/** Random bodies that are read and completed in one turn of the event loop, so that nothing depends on the clock. */
export const smallBodies = bodiesWith(fc.constant(undefined));
