import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { getArgumentValues } from 'graphql/execution/values.js';
import { entriesOfAsset } from './assets.ts';
import { type Entry, type Field, field, int32, int64, JsonObject, text, WRONG } from './body.ts';
import type { InputBound } from './dates.ts';
import { badInput, errorOf, type Filter, isMissing, type JsonReference, type Reader, selectedOn } from './respond.ts';
import { namesOfAll, resultsOf } from './results.ts';
import { invalid, isProblem, joinedRows, metricNames, type Problem } from './rows.ts';
import { seriesOf } from './series.ts';

/** Datasets and assets: their fields, and when they are null. */

/** The value of a field of a body. */
export const shown = <T>(value: Field<T>) => (value === WRONG ? errorOf(invalid()) : value);
const shownInt64 = (value: Field<bigint>) => (typeof value === 'bigint' ? String(value) : shown(value));

/** Values of an object that is null if all of them are. Its fields are read one by one. */
function objectOf<T extends Record<string, unknown>>(values: T, show: (values: T) => object): object | null {
  return Object.values(values).every((value) => value === null) ? null : show(values);
}

const isDatasetId = (id: string) =>
  id.length > 0 && id.length <= 200 && id.isWellFormed() && !/\p{Cc}/u.test(id) && id !== '.' && id !== '..';
const isAssetId = (id: string) => id.length > 0 && id.length <= 200;

const notMetadata = [
  ...['__typename', 'id', 'seriesCount', 'metricNames', 'results', 'asset', 'assetsByIds'],
  ...['download', 'downloadUrlWithToken'],
];
const notAttributes = ['__typename', 'id', 'datasetId', 'assetId', 'dataset', 'series', 'metricNames'];

/** A dataset. An error if its metadata is selected and there is none for this client. */
export function datasetOf(id: string, reader: Reader, info: GraphQLResolveInfo): object | Error {
  if (!isDatasetId(id)) return errorOf(badInput);
  const names = selectedOn(info, 'Dataset').map(({ name }) => name.value);
  const metadata = names.some((name) => !notMetadata.includes(name)) ? reader.metadata(id) : new JsonObject();
  if (isProblem(metadata) && isMissing(metadata)) return errorOf(metadata);
  return {
    __typename: 'Dataset',
    id,
    ...metadataFields(metadata),
    seriesCount: madeOfAll(id, reader, (entries) => entries.length),
    metricNames: madeOfAll(id, reader, namesOfAll),
    results: (args: { filter?: FilterInput }, _: unknown, resultsInfo: GraphQLResolveInfo) =>
      resultsOf(id, args.filter, reader, resultsInfo),
    asset: ({ assetId }: { assetId: string }, _: unknown, assetInfo: GraphQLResolveInfo) =>
      assetOf(id, assetId, reader, assetInfo),
    assetsByIds: ({ assetIds }: { assetIds: string[] }, _: unknown, assetsInfo: GraphQLResolveInfo) =>
      assetIds.map((assetId) => assetOf(id, assetId, reader, assetsInfo)),
  };
}

/** A field that is made of all entries of the results without a filter. */
function madeOfAll<T>(id: string, reader: Reader, read: (entries: readonly Entry[]) => T) {
  return (_args: unknown, _: unknown, info: GraphQLResolveInfo) => {
    const results = reader.results(id, {}, info);
    if (isProblem(results)) return errorOf(results);
    const { assets } = results;
    return assets === null || assets === WRONG ? shown(assets) : read(assets);
  };
}

function metadataFields(metadata: JsonObject | Problem) {
  const of =
    <T>(read: (object: JsonObject) => T) =>
    () =>
      isProblem(metadata) ? errorOf(metadata) : read(metadata);
  const textOf = (name: string) => of((object) => shown(field(object, name, text)));
  const named = (prefix: string) =>
    of((object) =>
      objectOf({ id: field(object, `${prefix}_id`, text), name: field(object, `${prefix}_name`, text) }, (values) => ({
        id: shown(values.id),
        name: shown(values.name),
      })),
    );
  return {
    name: textOf('name'),
    description: textOf('description'),
    assetCount: of((object) => shown(field(object, 'asset_count', int32))),
    attributionText: textOf('attributionText'),
    attributionFile: textOf('attributionFile'),
    sharing: of((object) => {
      const option = field(object, 'sharedOption', text);
      return typeof option !== 'string' || sharings.includes(option) ? shown(option) : 'UNRECOGNIZED';
    }),
    processing: named('processing'),
    source: named('source'),
    startDate: of((object) => shownInt64(field(object, 'start_date', int64))),
    stopDate: of((object) => shownInt64(field(object, 'stop_date', int64))),
    startDateTime: of((object) => dateTimeOf(field(object, 'start_date', int64))),
    stopDateTime: of((object) => dateTimeOf(field(object, 'stop_date', int64))),
  };
}

const sharings = ['OWNED', 'SHARED', 'NON_SHARED'];

/** Milliseconds as a date-time of the years 0000 to 9999. */
function dateTimeOf(milliseconds: Field<bigint>): string | null | Error {
  if (typeof milliseconds !== 'bigint') return shown(milliseconds) as null | Error;
  const isDate = milliseconds >= -62_167_219_200_000n && milliseconds <= 253_402_300_799_999n;
  return isDate ? new Date(Number(milliseconds)).toISOString() : errorOf(invalid());
}

/** A time range of input. */
export interface RangeInput {
  readonly start?: InputBound | null;
  readonly stop?: InputBound | null;
}

export interface FilterInput {
  readonly assetIds?: readonly string[] | null;
  readonly timeRange?: RangeInput | null;
}

/** The arguments of `Asset.series`. */
interface SeriesArgs {
  readonly filter?: Pick<FilterInput, 'timeRange'> | null;
}

/** A time range as part of a filter. A problem if it has no bound, or begins after its end. */
function rangeOf(range: RangeInput | null | undefined): Pick<Filter, 'start' | 'stop'> | Problem {
  if (range === null || range === undefined) return {};
  const [start, stop] = [range.start?.first, range.stop?.last];
  const isEmpty = start === undefined && stop === undefined;
  return isEmpty || (start !== undefined && stop !== undefined && start > stop) ? badInput : { start, stop };
}

/** A filter of input, without repeated ids. */
export function filterOf(input: FilterInput | null | undefined): Filter | Problem {
  const { assetIds, timeRange } = input ?? {};
  if (assetIds?.some((id) => !isAssetId(id))) return badInput;
  const range = rangeOf(timeRange);
  if (isProblem(range)) return range;
  return { ...range, ...(assetIds && { assetIds: [...new Set(assetIds)] }) };
}

/** What `_entities` gives for a reference. */
export function entityOf(reference: JsonReference, reader: Reader, info: GraphQLResolveInfo): object | Error | null {
  const [id, datasetId, assetId] = [reference.id, reference.datasetId, reference.assetId].map(idOf);
  if (reference.__typename === 'Dataset') return id === undefined ? errorOf(badInput) : datasetOf(id, reader, info);
  if (datasetId === undefined || assetId === undefined) return errorOf(badInput);
  if (!isDatasetId(datasetId)) return errorOf(badInput);
  return assetOf(datasetId, assetId, reader, info);
}

/** An id in a reference: a text, or an integer with its digits. */
function idOf(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' ? id : undefined;
}

/** The responses for one asset that a selection on it needs. */
function repliesFor(datasetId: string, assetId: string, reader: Reader, info: GraphQLResolveInfo) {
  const fields = selectedOn(info, 'Asset');
  const { series } = (info.schema.getType('Asset') as GraphQLObjectType).getFields();
  const ranges = fields.flatMap((node) => {
    if (node.name.value === 'metricNames') return [{}];
    if (node.name.value !== 'series') return [];
    const { filter } = getArgumentValues(series as never, node, info.variableValues) as SeriesArgs;
    const range = rangeOf(filter?.timeRange);
    return isProblem(range) ? [] : [range];
  });
  const hasAttributes = fields.some(({ name }) => !notAttributes.includes(name.value));
  const isAllTime = ({ start, stop }: Filter) => start === undefined && stop === undefined;
  const repliesOf = (filters: readonly Filter[]) =>
    filters.map((range) => reader.results(datasetId, { assetIds: [assetId], ...range }, info));
  const ofAttributes = hasAttributes
    ? reader.results(datasetId, { assetIds: [assetId] }, info, 'attributes')
    : undefined;
  const [allTime] = repliesOf(ranges.filter(isAllTime));
  return { ofAttributes, allTime, all: [...(ofAttributes ? [ofAttributes] : []), ...repliesOf(ranges)] };
}

/** An asset by its id: null if the service does not report it, unless nothing shows whether it does. */
export function assetOf(
  datasetId: string,
  assetId: string,
  reader: Reader,
  info: GraphQLResolveInfo,
): object | Error | null {
  if (!isAssetId(assetId)) return errorOf(badInput);
  const { ofAttributes, allTime, all } = repliesFor(datasetId, assetId, reader, info);
  const missing = all.find((reply) => isProblem(reply) && isMissing(reply));
  if (missing !== undefined) return errorOf(missing as Problem);
  if (ofAttributes !== undefined) {
    if (isProblem(ofAttributes)) return assetWith(datasetId, assetId, ofAttributes, reader);
    if (ofAttributes.assets === WRONG) return assetWith(datasetId, assetId, invalid(), reader);
    const [entry] = entriesOfAsset(ofAttributes.assets ?? [], assetId);
    return entry === undefined ? null : assetWith(datasetId, assetId, entry, reader);
  }
  if (allTime !== undefined && !isProblem(allTime) && allTime.assets !== WRONG) {
    if (entriesOfAsset(allTime.assets ?? [], assetId).length === 0) return null;
  }
  return assetWith(datasetId, assetId, undefined, reader);
}

/** An asset with these attributes, or with the problem of the call for them. Undefined if none is selected. */
export function assetWith(
  datasetId: string,
  assetId: string,
  attributes: Entry | Problem | undefined,
  reader: Reader,
): object {
  const of =
    <T>(read: (entry: Entry) => T) =>
    () =>
      isProblem(attributes) ? errorOf(attributes) : read(attributes as Entry);
  return {
    __typename: 'Asset',
    id: Buffer.from(JSON.stringify([datasetId, assetId])).toString('base64url'),
    datasetId,
    assetId,
    name: of(({ name }) => shown(name)),
    version: of(({ version }) => shownInt64(version)),
    categories: of(({ categories }) => shown(categories)),
    centroid: of(({ latitude, longitude }) =>
      latitude === null || longitude === null ? null : { latitude: shown(latitude), longitude: shown(longitude) },
    ),
    surfaceAreaM2: of(({ surfaceAreaM2 }) => shown(surfaceAreaM2)),
    parent: of(({ parentId, parentName, parentVersion }) =>
      objectOf({ parentId, parentName, parentVersion }, () => ({
        assetId: shown(parentId),
        name: shown(parentName),
        version: shownInt64(parentVersion),
        asset: (_: unknown, __: unknown, info: GraphQLResolveInfo) => parentOf(datasetId, parentId, reader, info),
      })),
    ),
    dataset: (_: unknown, __: unknown, info: GraphQLResolveInfo) => datasetOf(datasetId, reader, info),
    metricNames: (_: unknown, __: unknown, info: GraphQLResolveInfo) => {
      const entries = loadEntries(datasetId, assetId, {}, reader, info);
      if (entries === null || isProblem(entries)) return entries && errorOf(entries);
      const rows = joinedRows(entries);
      return rows === null || rows === WRONG ? shown(rows) : metricNames(rows);
    },
    series: ({ filter }: SeriesArgs, _: unknown, info: GraphQLResolveInfo) => {
      const range = rangeOf(filter?.timeRange);
      const entries = isProblem(range) ? range : loadEntries(datasetId, assetId, range, reader, info);
      if (entries === null || isProblem(entries)) return entries && errorOf(entries);
      return seriesOf(datasetId, entries, entries, reader);
    },
  };
}

/** The entries of an asset with its highest version. */
function loadEntries(
  datasetId: string,
  assetId: string,
  range: Filter,
  reader: Reader,
  info: GraphQLResolveInfo,
): readonly Entry[] | Problem | null {
  const results = reader.results(datasetId, { assetIds: [assetId], ...range }, info);
  if (isProblem(results)) return results;
  if (results.assets === WRONG) return invalid();
  const entries = entriesOfAsset(results.assets ?? [], assetId);
  return entries.length === 0 ? null : entries;
}

/** A parent as an asset of the same dataset. The service cannot be asked for one with an id of another length. */
function parentOf(datasetId: string, parentId: Field<string>, reader: Reader, info: GraphQLResolveInfo) {
  if (typeof parentId !== 'string') return shown(parentId);
  const isKey = selectedOn(info, 'Asset').every(({ name }) =>
    ['__typename', 'id', 'datasetId', 'assetId', 'dataset'].includes(name.value),
  );
  if (isKey) return assetWith(datasetId, parentId, undefined, reader);
  return isAssetId(parentId) ? assetOf(datasetId, parentId, reader, info) : null;
}
