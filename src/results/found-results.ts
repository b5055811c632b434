import { type Asked, type AttributeValues, Held, type Reader, Selection } from '../../engine/index.ts';
import { type AssetResult, tooLarge, type WireField, wrongType } from '../rest/contract/wire.ts';
import type { Output, Writing, Written } from './output.ts';
import type { BoundPage, Entries, PageEntries } from './page.ts';
import { idIn, type MetricNames, namesAsked, type ResultsResponse, type StreamedResults } from './response.ts';
import { type BodyParts, type Reading, readInto } from './written.ts';

/** A response that serves a filter: as received, or only these assets of it. */
interface ResponsePart {
  readonly response: ResultsResponse;
  readonly only: ReadonlySet<string> | undefined;
}

/** The attributes of an asset as values. An error if one has a wrong type. */
export interface AssetAttributes extends Omit<AssetResult, 'results'> {
  /** The bytes of all of them. */
  readonly bytes: number;
}

function firstKnown<T>(values: readonly WireField<T>[]): WireField<T> {
  return values.find((value) => value !== null && value !== undefined);
}

/** What is computed from all entries, by whatever fields: they are read once, when the first of these is written. */
class Together {
  readonly #readingOf: (selection: Selection) => Reading;
  readonly #asked: Asked[] = [];
  #found: Pick<Reader, 'errors'> & { readonly values: readonly Buffer[] } = { errors: [], values: [] };
  #isRead = false;
  #failure: unknown;

  constructor(readingOf: (selection: Selection) => Reading) {
    this.#readingOf = readingOf;
  }

  write(asked: Asked): Writing {
    const index = this.#asked.length;
    // Aliases of different objects may have the same key.
    this.#asked.push({ ...asked, key: String(index) });
    return (output) => this.#writeValue(index, output);
  }

  *#writeValue(index: number, output: Output): Generator<Written, void> {
    yield* this.#read(output);
    const { errors, values } = this.#found;
    for (const error of errors) if (error.path[0] === String(index)) output.errors.add(error, error.path.slice(1));
    yield [values[index] as Buffer];
  }

  /** All are known when the first one is written. */
  *#read(output: Output): Generator<Written, void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isRead) return;
    this.#isRead = true;
    try {
      const reader = yield* readInto(this.#readingOf(new Selection({ all: this.#asked })), output, () => undefined);
      this.#found = { errors: reader.errors, values: reader.values() };
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

/** The results of one filter. */
export class Results {
  /** Those of a filter that asks for no assets: known without a call. */
  static none(): Results {
    return new Results([], { length: 0, at: () => undefined });
  }

  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Every entry, in the order received. An asset may have several entries, of different versions. */
  readonly assets: WireField<Entries>;
  readonly responses: readonly ResultsResponse[];
  /** The response, if it passes to the client while it arrives. */
  readonly streamed: StreamedResults | undefined;
  readonly #held: Held;
  /** The names of the metrics of all entries, if they were collected while these arrived. */
  readonly #names: MetricNames | undefined;
  #together: Together | undefined;

  /** @param assets if they are known without a response */
  constructor(parts: readonly ResponsePart[], assets?: Entries) {
    this.processingId = firstKnown(parts.map(({ response }) => idIn(response.fields.ids, 'processingId')));
    this.sourceId = firstKnown(parts.map(({ response }) => idIn(response.fields.ids, 'sourceId')));
    const [first, ...others] = parts;
    const whole = first?.only === undefined && others.length === 0 ? first?.response : undefined;
    this.streamed = whole?.streamed;
    this.responses = parts.map(({ response }) => response);
    this.#names = whole?.fields.names;
    this.#held = new Held(parts.flatMap(({ response, only }) => response.held(only) ?? []));
    this.assets = assets ?? this.#assetsOf(parts, whole?.fields.count);
  }

  #assetsOf(parts: readonly ResponsePart[], count: number | undefined): WireField<Entries> {
    const lists = parts.map(({ response }) => response.fields.list);
    if (lists.includes('wrongType')) return wrongType;
    if (!lists.includes('list')) return null;
    const held = this.#held;
    const at = (index: number) => {
      const assetId = held.idAt(index);
      return assetId === undefined ? undefined : { assetId };
    };
    return { length: count ?? held.length, at };
  }

  /** Rows may have list entries that were omitted. */
  readonly #ended = ({ head }: Reader): void => {
    const [first] = this.responses;
    if (head.omitted > 0 && first !== undefined) first.omitted = true;
  };

  /** Writes a page: the entries from `start` to `end` (exclusive). @param context what the selection's functions get */
  writePage(bound: BoundPage, page: PageEntries, context: unknown): Writing {
    const held = this.#held;
    const { start, end } = page;
    const readingOf = (selection: Selection): Reading => ({
      ...{ selection, bodies: held.bodies(start, end), page: { held, context } },
      ended: this.#ended,
    });
    return (output) => writePage(bound, () => page, readingOf, output);
  }

  /** Writes all entries of a response that passes. @param isUnique whether attributes of the highest version of an asset are written */
  writeStreamed(bound: BoundPage, streamed: StreamedResults, isUnique: boolean, context: unknown): Writing {
    streamed.open();
    const readingOfPage = (selection: Selection): Reading => ({
      ...readingOf(streamed, selection),
      page: { isUnique, context, hasEnds: true },
    });
    return (output) => writePage(bound, () => entriesOf(streamed), readingOfPage, output);
  }

  /** Writes something that is computed from all entries. @throws Error if something else reads them, and they are dropped */
  writeAll(asked: Asked): Writing {
    const { streamed } = this;
    streamed?.open();
    this.#together ??= new Together((selection) =>
      streamed === undefined
        ? { selection, bodies: this.#held.bodies(), ended: this.#ended }
        : readingOf(streamed, selection),
    );
    return this.#together.write(asked);
  }

  /** Writes the names of the metrics of all entries. */
  writeNames(): Writing {
    const names = this.#names;
    if (names === undefined) return this.writeAll(namesAsked);
    return ({ errors, work }) => {
      // They were collected once, and may be selected often.
      const isWithin = work.reserve(names.json.length);
      const found = isWithin ? names.errors : [{ path: [''], kind: 'workExceeded' } as const];
      for (const error of found) errors.add(error, error.path.slice(1));
      return [isWithin ? names.json : 'null'];
    };
  }

  /** The attributes of the highest version of an asset. Undefined if there is no such asset. */
  asset(assetId: string): AssetAttributes | undefined {
    const found = this.#held.asset(assetId);
    return found && attributesOf(found);
  }

  hasAsset(assetId: string): boolean {
    return this.#held.has(assetId);
  }

  /** All entries of an asset with the highest version. Undefined if there is no such asset. */
  series(datasetId: string, assetId: string): Series | undefined {
    const held = this.#held;
    if (!held.has(assetId)) return undefined;
    return new Series(datasetId, assetId, {
      own: () => held.asset(assetId) as AttributeValues,
      ofAsset: () => held.asset(assetId) as AttributeValues,
      bodies: () => [held.find(assetId)],
      page: { together: true },
      ended: this.#ended,
    });
  }

  /** The entry with this index. */
  seriesAt(datasetId: string, index: number): Series {
    const held = this.#held;
    const assetId = held.idAt(index) as string;
    return new Series(datasetId, assetId, {
      own: () => held.entry(index) as AttributeValues,
      ofAsset: () => held.asset(assetId) as AttributeValues,
      bodies: () => held.bodies(index, index + 1),
      page: { held },
      ended: this.#ended,
    });
  }
}

function readingOf(streamed: StreamedResults, selection: Selection): Reading {
  return {
    ...{ selection, bodies: [streamed.chunks()] },
    ended: ({ head }) => streamed.end(head),
    failed: ({ kind }) => kind === 'repeatedAsset' && streamed.whenRepeated(),
  };
}

function entriesOf({ ended }: StreamedResults): PageEntries {
  const { count = 0, start, end } = ended ?? {};
  return { start: 0, end: count, entries: { length: count, at: (index) => (index === 0 ? start : end) } };
}

/** It is no closure: V8 keeps for each that is a generator what it refers to, until the next full garbage collection. */
function* writePage(
  { fields }: BoundPage,
  page: () => PageEntries,
  readingOf: (selection: Selection) => Reading,
  output: Output,
): Generator<string | Written> {
  for (const field of fields) {
    yield field.prefix;
    if (field.kind === 'constant') yield field.json;
    else if (field.kind === 'page') yield field.json(page());
    else yield* readInto(readingOf(field.selection), output, (path) => [field.key, ...path]);
  }
  yield fields.length === 0 ? '{}' : '}';
}

/** Where the rows of a series are. */
interface SeriesSource {
  /** The attributes of its entry, and of the highest version of its asset. */
  own(): AttributeValues;
  ofAsset(): AttributeValues;
  bodies(): readonly BodyParts[];
  readonly page: NonNullable<Reading['page']>;
  readonly ended: Reading['ended'];
}

/** One entry of results, or all entries of an asset with the highest version. */
export class Series {
  readonly datasetId: string;
  readonly assetId: string;
  readonly #source: SeriesSource;

  constructor(datasetId: string, assetId: string, source: SeriesSource) {
    this.datasetId = datasetId;
    this.assetId = assetId;
    this.#source = source;
  }

  get version(): WireField<bigint> {
    return attributesOf(this.#source.own()).version;
  }

  /** The attributes of its asset. */
  get attributes(): AssetAttributes {
    return attributesOf(this.#source.ofAsset());
  }

  /** Writes it. @param context what the selection's functions get */
  write(selection: Selection, context: unknown): Writing {
    return this.#write(selection, 1, context);
  }

  /** Writes the value of one field that needs its rows. @param selection of a bare value */
  writeField(selection: Selection): Writing {
    return this.#write(selection, 2);
  }

  #write(selection: Selection, depth: number, context?: unknown): Writing {
    const { bodies, page, ended } = this.#source;
    return (output: Output) => {
      const reading = { selection, bodies: bodies(), page: { ...page, isSingle: true, context }, ended };
      return readInto(reading, output, (path) => path.slice(depth));
    };
  }
}

function attributesOf({ values, errors, bytes }: AttributeValues): AssetAttributes {
  const attributes: Record<string, unknown> = { ...values, bytes };
  for (const [name, kind] of Object.entries(errors)) attributes[name] = kind === 'tooLarge' ? tooLarge : wrongType;
  return attributes as unknown as AssetAttributes;
}
