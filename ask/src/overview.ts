import type * as z from 'zod';
import { sanitizeForTerminal } from '../../src/core/sanitize-for-terminal.ts';
import { assetModel, datasetModel } from './dataset.ts';
import type { JsonView } from './json-view.ts';
import { type Column, list, table } from './table.ts';
import type { Display } from './terminal.ts';

const columns: readonly Column[] = [
  { title: 'ASSET', side: 'left', shrinks: false },
  { title: 'NAME', side: 'left', shrinks: true },
  { title: 'VER', side: 'right', shrinks: false },
  { title: 'CATEGORIES', side: 'left', shrinks: true },
  { title: 'CENTROID', side: 'right', shrinks: false },
  { title: 'AREA m2', side: 'right', shrinks: false },
  { title: 'ROWS', side: 'right', shrinks: false },
  { title: 'METRICS', side: 'left', shrinks: true },
];

/** An overview as lines of text. `something` tells whether it has more than the dataset's id. */
export interface Overview {
  readonly lines: readonly string[];
  readonly something: boolean;
}

/**
 * The metadata of a dataset and a table of its assets.
 *
 * @throws ZodError when the response does not match the schema
 */
export function overview(datasetId: string, dataset: JsonView, display: Display): Overview {
  const members = new Map(dataset.members());
  const model = Object.fromEntries(
    [...members].filter(([name]) => name in datasetModel.shape).map(([name, view]) => [name, view.parse()]),
  );
  const nodes = members.get('results')?.member('series', 'nodes');
  const assets = Array.from(nodes?.elements() ?? [], (node) => assetModel.parse(node.parse()));
  const names = new Set(assets.map(({ metricNames }) => metricNames?.join(', ') ?? ''));
  // Metrics that all assets share need no column.
  const [shared] = names.size === 1 ? names : [];
  const entries = metadata(datasetId, datasetModel.parse(model));
  const about = list([...entries, ['Metrics', sanitizeForTerminal(shared ?? '')]], display);
  const rows = assets.map((asset) => assetRow(shared === undefined ? asset : { ...asset, metricNames: null }));
  return {
    lines: rows.length === 0 ? about : [...about, '', ...table(columns, rows, display)],
    something: nodes !== undefined || entries.filter(([, text]) => text !== '').length > 1,
  };
}

function metadata(datasetId: string, dataset: z.output<typeof datasetModel>): [string, string][] {
  const entries: [string, string | null][] = [
    ['Dataset', datasetId],
    ['Name', dataset.name],
    ['Description', dataset.description],
    ['Assets', dataset.assetCount === null ? null : String(dataset.assetCount)],
    ['Start', date(dataset.startDate, dataset.startDateTime)],
    ['Stop', date(dataset.stopDate, dataset.stopDateTime)],
    ['Sharing', dataset.sharing],
    ['Processing', named(dataset.processing)],
    ['Source', named(dataset.source)],
    ['Attribution', dataset.attributionText],
    ['Attribution file', dataset.attributionFile],
  ];
  return entries.map(([name, text]) => [name, sanitizeForTerminal(text ?? '')]);
}

/** A date as received, and read as milliseconds, which the specification does not promise. */
function date(sent: string | null, time: string | null): string | null {
  return time === null ? sent : `${time} (${sent}, taken as milliseconds)`;
}

function named(thing: { id: string | null; name: string | null } | null): string | null {
  if (thing === null) return null;
  const { id, name } = thing;
  return name === null ? id : `${name}${id === null ? '' : ` (${id})`}`;
}

function assetRow({ asset, version, rowCount, metricNames }: z.output<typeof assetModel>): string[] {
  const { assetId, name, categories, centroid, surfaceAreaM2 } = asset;
  const cells: (string | number | null | undefined)[] = [
    assetId,
    name,
    version,
    categories?.join(', '),
    centroid === null ? null : `${centroid.latitude} ${centroid.longitude}`,
    surfaceAreaM2,
    rowCount,
    metricNames?.join(', '),
  ];
  return cells.map((cell) => sanitizeForTerminal(String(cell ?? '')));
}
