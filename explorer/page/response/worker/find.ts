import { type AreaEdge, hasQuantiles, type QuantileTable, quantileTablesOf } from './quantile-tables.ts';
import type { QuantilesAt } from './selected-quantiles.ts';
import { type Fields, fieldsOf, type Table, tableOf } from './shapes.ts';

/** What a response says of an asset; empty texts where it says nothing. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/** The rows of one asset. */
export interface AssetTable extends Table {
  readonly asset: Identity;
  /** The field of the dataset that has the rows, by its alias. */
  readonly field: string;
  /** Which edge of an area the rows are; undefined for those of an asset. */
  readonly edge?: AreaEdge | undefined;
  /** Whether the asset has more rows, because the operation asked for some of them. */
  readonly isReduced?: boolean;
  /** Whether the rows are shown only until all values are there. */
  readonly isPreview?: boolean;
}

/** The location of an asset, in degrees. */
export interface Location {
  readonly asset: Identity;
  readonly latitude: number;
  readonly longitude: number;
}

/** A download link of this server. */
export interface DownloadLink {
  readonly url: string;
  /** Where it is in `data`. */
  readonly path: readonly (string | number)[];
}

/** What a response has of one dataset. */
export interface FoundDataset {
  /** Where it is in `data`. */
  readonly path: readonly (string | number)[];
  readonly title: string;
  readonly tables: readonly AssetTable[];
  readonly locations: readonly Location[];
  readonly downloads: readonly DownloadLink[];
  /** Whether it has lists of assets, or lists of rows, that are empty. */
  readonly isEmpty: { readonly assets: boolean; readonly rows: boolean };
}

/**
 * Finds drawable data in the response of any operation. It recognises data by its shape, because aliases may rename fields.
 *
 * @param response parsed JSON
 * @param origin the page's origin: links to other origins are ignored
 * @param quantilesAt which quantiles the field at a path of `data` has
 */
export function findDatasets(response: unknown, origin: string, quantilesAt: QuantilesAt): FoundDataset[] {
  const find = (path: FoundDataset['path'], dataset: unknown) => findInDataset(path, dataset, origin, quantilesAt);
  return Object.entries(fieldsOf(fieldsOf(response)?.data) ?? {}).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map((dataset, index) => find([key, index], dataset)) : [find([key], value)],
  );
}

const nobody: Identity = { id: '', name: '', version: '' };

/** What an asset is called. */
export function labelOf({ id, name }: Identity): string {
  return name || id;
}

/** The fields that list assets, and those that list rows, unless aliases rename them. */
const assetLists = ['nodes', 'edges', 'assetsByIds'];
const rowLists = ['rows', 'valueDates', 'dates'];

function findInDataset(
  path: FoundDataset['path'],
  dataset: unknown,
  origin: string,
  quantilesAt: QuantilesAt,
): FoundDataset {
  const tables: AssetTable[] = [];
  const locations = new Map<string, Location>();
  const downloads: DownloadLink[] = [];
  // Where the visited value is.
  const at: (string | number)[] = [...path];
  const isEmpty = { assets: false, rows: false };
  /** `asset` is the closest asset that contains `value`. */
  const visit = (value: unknown, asset: Identity): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visitAt(index, item, asset);
      });
      return;
    }
    const fields = fieldsOf(value);
    if (fields === undefined) {
      if (typeof value === 'string' && isDownload(value, origin)) downloads.push({ url: value, path: [...at] });
      return;
    }
    const location = locationOf(fields, asset);
    if (location !== undefined) locations.set(JSON.stringify(location), location);
    const own = (value === dataset ? undefined : identityOf(fields)) ?? asset;
    for (const [name, child] of Object.entries(fields)) {
      if (Array.isArray(child) && child.length === 0) {
        isEmpty.assets ||= assetLists.includes(name);
        isEmpty.rows ||= rowLists.includes(name);
      }
      const quantilesIn: QuantilesAt = (keys) => quantilesAt([...at, name, ...keys]);
      const quantiles = quantileTablesOf(child, quantilesIn);
      const table = quantiles.length > 0 ? undefined : tableWithin(child, quantilesIn);
      const field = String(at[path.length] ?? name);
      if (quantiles.length > 0) tables.push(...quantiles.map((of) => quantileOf(of, field, assetOf(fields, own))));
      else if (table === undefined) visitAt(name, child, own);
      else {
        const isReduced = !table.isRows && Number(fields.rowCount) > table.dates.length;
        tables.push({ ...table, field, asset: assetOf(fields, own), isReduced });
      }
    }
  };
  const visitAt = (key: string | number, value: unknown, asset: Identity): void => {
    at.push(key);
    visit(value, asset);
    at.pop();
  };
  visit(dataset, nobody);
  const title = nameOf(dataset) ?? String(path[0]);
  return { path, title, tables, locations: [...locations.values()], downloads, isEmpty };
}

/** Rows. Quantiles without dates are none. */
function tableWithin(value: unknown, quantilesIn: QuantilesAt): Table | undefined {
  const table = tableOf(value);
  return table === undefined || table.hasDates || !hasQuantiles(value, quantilesIn) ? table : undefined;
}

/** A quantile of all assets, or of one. A chart has at most one area: that of all. */
function quantileOf({ label, edge, ...table }: QuantileTable, field: string, asset: Identity): AssetTable {
  const owner = labelOf(asset);
  if (owner === '') return { ...table, field, edge, asset: { ...nobody, name: label } };
  return { ...table, field, asset: { ...asset, name: `${owner}: ${label}` } };
}

/** The asset of the rows in an object: a sibling or an ancestor of the rows, with the version of the entry. */
function assetOf(fields: Fields, ancestor: Identity): Identity {
  const sibling = Object.values(fields)
    .map((value) => identityOf(fieldsOf(value)))
    .find((identity) => identity !== undefined);
  const found = sibling ?? ancestor;
  return { ...found, version: versionOf(fields) || found.version };
}

/** The name or the id of a dataset or an asset. */
function nameOf(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  return [fields?.name, fields?.assetId, fields?.id].find((name) => typeof name === 'string');
}

function identityOf(fields: Fields | undefined): Identity | undefined {
  if (nameOf(fields) === undefined) return undefined;
  const [id, name] = [[fields?.assetId, fields?.id].find((each) => typeof each === 'string'), fields?.name];
  return { id: String(id ?? ''), name: typeof name === 'string' ? name : '', version: versionOf(fields) };
}

/** A version is a 64-bit integer, sent as a string of digits. */
function versionOf(fields: Fields | undefined): string {
  return typeof fields?.version === 'string' ? fields.version : '';
}

function locationOf(fields: Fields, asset: Identity): Location | undefined {
  const numberAt = (pattern: RegExp) => Object.entries(fields).find(([key]) => pattern.test(key))?.[1];
  const latitude = numberAt(/^lat/i);
  const longitude = numberAt(/^(lon|lng)/i);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { asset, latitude, longitude } : undefined;
}

function isDownload(text: string, origin: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === origin && url.pathname.startsWith('/download/');
}
