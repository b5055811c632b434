import { type StoredDataset, storeDataset } from './dataset.ts';
import { errorsOf } from './errors.ts';
import { type FoundDataset, findDatasets } from './find.ts';
import { withPart } from './later-rows.ts';
import { mergedDatasets } from './merge-datasets.ts';
import { nameDownloads } from './name-downloads.ts';
import type { Absence, OperationRequest, ResponseSummary, RestCalls } from './protocol.ts';
import type { ReadResponse } from './read.ts';
import { selectedQuantiles } from './selected-quantiles.ts';
import { fieldsOf } from './shapes.ts';

/** A response with more bytes stays out of the editor. */
const MAX_EDITOR_BYTES = 5_000_000;

/** The values of a response, and what the page knows of it. */
export interface Stored {
  readonly found: readonly FoundDataset[];
  readonly datasets: readonly StoredDataset[];
  readonly summary: ResponseSummary;
}

/**
 * Parses a response and puts its values into typed arrays.
 *
 * @param before what is stored of the parts before
 * @throws SyntaxError when it is not JSON
 */
export function storeResponse(
  responseId: number,
  { status, body, text, milliseconds }: ReadResponse,
  origin: string,
  { body: sent, overlay, part }: OperationRequest,
  before?: Stored,
): Stored {
  const response: unknown = JSON.parse(text);
  const own = findDatasets(response, origin, selectedQuantiles(sent));
  const found = part === undefined ? own : withPart(before?.found ?? [], own, part);
  const merged = overlay?.kind === 'datasets' ? mergedDatasets(found, overlay) : undefined;
  const datasets = (merged === undefined ? found : [merged])
    .filter(({ tables, locations }) => tables.length > 0 || locations.length > 0)
    .map((dataset) => storeDataset(dataset, overlay));
  return {
    found,
    datasets,
    summary: {
      responseId,
      bytes: body.size + (before?.summary.bytes ?? 0),
      milliseconds: milliseconds + (before?.summary.milliseconds ?? 0),
      status,
      errors: errorsOf(response),
      datasets: datasets.map(({ summary }) => summary),
      downloads: nameDownloads(found),
      absence: absenceOf(found),
      restCalls: joinedCalls(before?.summary.restCalls, restCallsOf(response)),
      hasRows: found.some(({ tables }) => tables.some(({ isRows }) => isRows)),
      isLarge: body.size > MAX_EDITOR_BYTES,
    },
  };
}

/** Why nothing of a response can be drawn; undefined if something can. */
function absenceOf(found: readonly FoundDataset[]): Absence | undefined {
  if (found.some(({ tables }) => tables.some(({ dates, columns }) => dates.length > 0 && columns.size > 0)))
    return undefined;
  if (found.some(({ isEmpty, tables }) => isEmpty.rows || tables.length > 0)) return 'noRows';
  return found.some(({ isEmpty }) => isEmpty.assets) ? 'noAssets' : 'nothingSelected';
}

/** The REST calls, which only this subgraph lists. */
function restCallsOf(response: unknown): RestCalls | undefined {
  const restCalls = fieldsOf(fieldsOf(fieldsOf(response)?.extensions)?.restCalls);
  return Array.isArray(restCalls?.calls) ? (restCalls as unknown as RestCalls) : undefined;
}

function joinedCalls(before: RestCalls | undefined, later: RestCalls | undefined): RestCalls | undefined {
  if (before === undefined || later === undefined) return before ?? later;
  return {
    count: before.count + later.count,
    bytes: before.bytes + later.bytes,
    milliseconds: before.milliseconds + later.milliseconds,
    calls: [...before.calls, ...later.calls],
  };
}
