import { type RootFields, withRootFields } from '../../core/root-fields.ts';
import { columnsQuery, downloadQuery, type TimeRange } from '../examples.ts';
import type { KnownDataset } from './settings.ts';
import { type TabText, variablesText } from './tab-text.ts';

/** What the picker selects. */
export interface Selection {
  readonly datasetId: string;
  /** Undefined: all. */
  readonly assetIds?: readonly string[] | undefined;
  /** Undefined: all. */
  readonly metrics?: readonly string[] | undefined;
  /** The first day, such as 2015-01-01. Empty: no bound. */
  readonly from: string;
  /** The last day. Empty: no bound. */
  readonly to: string;
}

/** A selection of a whole dataset. */
export function wholeDataset(datasetId: string): Selection {
  return { datasetId, from: '', to: '' };
}

/** The operation that reads a selection. */
export function textOf({ datasetId: id, assetIds, metrics, from, to }: Selection, fields: RootFields): TabText {
  const range: TimeRange = [from && `${from}T00:00:00Z`, to && `${to}T23:59:59.999Z`];
  const variables = { id, ...(assetIds && { assetIds }), ...(metrics && { metrics }) };
  return { query: withRootFields(columnsQuery(range), fields), variables: variablesText(variables) };
}

/** The operation that a link to a dataset opens. */
export function textOfDataset(datasetId: string, known: KnownDataset | undefined, fields: RootFields): TabText {
  if (known?.hasAssets !== false) return textOf(wholeDataset(datasetId), fields);
  return { query: withRootFields(downloadQuery, fields), variables: variablesText({ fileId: datasetId }) };
}

/** The selection of an operation. If the picker cannot have written it, only its dataset. */
export function selectionOf({ query, variables }: TabText, fields: RootFields): Selection | undefined {
  const { id, fileId, assetIds, metrics } = parseObject(variables);
  const datasetId = typeof id === 'string' ? id : fileId;
  if (typeof datasetId !== 'string') return undefined;
  if (!isPicked(query, fields)) return wholeDataset(datasetId);
  const [start, stop] = rangeOf(query);
  return {
    datasetId,
    assetIds: texts(assetIds),
    metrics: texts(metrics),
    from: start.slice(0, 10),
    to: stop.slice(0, 10),
  };
}

/** Whether the picker has written a query, and nobody has edited it. */
export function isPicked(query: string, fields: RootFields): boolean {
  return query === withRootFields(columnsQuery(rangeOf(query)), fields);
}

function rangeOf(query: string): TimeRange {
  const bound = (name: string) => new RegExp(`\\b${name}: "([^"]*)"`).exec(query)?.[1] ?? '';
  return [bound('start'), bound('stop')];
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
