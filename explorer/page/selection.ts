import { timeRange } from './dataset/operation.ts';
import type { KnownDataset, PageOperations } from './settings.ts';
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
export function textOf(
  { datasetId: id, assetIds, metrics, from, to }: Selection,
  { columns }: PageOperations,
): TabText {
  const variables = {
    id,
    ...(assetIds && { assetIds }),
    ...(metrics && { metrics }),
    ...timeRange({ from, to }),
  };
  return { query: columns, variables: variablesText(variables) };
}

/** The operation that a link to a dataset opens. */
export function textOfDataset(datasetId: string, known: KnownDataset | undefined, operations: PageOperations): TabText {
  if (known?.hasAssets !== false)
    return textOf({ ...wholeDataset(datasetId), assetIds: known?.linkedAssetIds }, operations);
  return { query: operations.download, variables: variablesText({ fileId: datasetId }) };
}

/** The selection of an operation. If the picker cannot have written it, only its dataset. */
export function selectionOf({ query, variables }: TabText, operations: PageOperations): Selection | undefined {
  const { id, fileId, assetIds, metrics, timeRange: range } = parseObject(variables);
  const datasetId = typeof id === 'string' ? id : fileId;
  if (typeof datasetId !== 'string') return undefined;
  if (query !== operations.columns) return wholeDataset(datasetId);
  const { start, stop } = isObject(range) ? range : {};
  return { datasetId, assetIds: texts(assetIds), metrics: texts(metrics), from: dayOf(start), to: dayOf(stop) };
}

/** Whether the picker would write a text as it stands, so that nothing of it is lost when the picker replaces it. */
export function isPicked(text: TabText, operations: PageOperations): boolean {
  const selection = selectionOf(text, operations);
  if (selection === undefined) return false;
  const { query, variables } = textOf(selection, operations);
  return query === text.query && variables === text.variables;
}

/** The day of a date-time; empty if it is none. */
function dayOf(time: unknown): string {
  return typeof time === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(time)?.[0] ?? '') : '';
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
