import { columnLengths } from './column-lengths.ts';
import type { StoredDataset } from './dataset.ts';
import { extremesOf } from './extremes.ts';
import { heatMapsOf } from './heat.ts';
import { histogramsOf } from './histograms.ts';
import { indent } from './indent.ts';
import { linesOf } from './lines.ts';
import { placeValuesOf, sortedDates } from './place-values.ts';
import type {
  FromWorker,
  HeatMaps,
  Histograms,
  Lines,
  OperationRequest,
  ResponseFailure,
  ResponseQueries,
  TableView,
  ToWorker,
} from './protocol.ts';
import { readResponse } from './read.ts';
import { type Stored, storeResponse } from './summarize.ts';
import { RowTable } from './table.ts';

// Reads responses, keeps their values, and responses the page's questions about them, so that the page never waits.

/** The milliseconds between two reports of progress. */
const REPORT_MS = 100;

/** A response that has come. */
class StoredResponse {
  readonly #body: Blob;
  readonly #datasets: readonly StoredDataset[];
  /** Undefined if nothing of a later time follows. */
  readonly stored: Stored | undefined;
  /** The view that was asked for last: its order costs most. */
  #table: { readonly key: string; readonly rows: RowTable } | undefined;

  constructor(body: Blob, stored: Stored, isPart: boolean) {
    this.#body = body;
    this.#datasets = stored.datasets;
    this.stored = isPart ? stored : undefined;
  }

  readonly queries: Omit<ResponseQueries, 'release'> = {
    lines: (request) => linesOf(this.#dataset(request.dataset), request),
    heat: (request) => heatMapsOf(this.#dataset(request.dataset), request),
    histograms: (request) => histogramsOf(this.#dataset(request.dataset), request),
    countRows: (view) => this.#rows(view).length,
    rows: (view, from, count) => {
      const rows = this.#rows(view);
      return Array.from({ length: Math.max(0, Math.min(count, rows.length - from)) }, (_, index) =>
        rows.row(from + index),
      );
    },
    csv: (view) => this.#rows(view).csv(),
    columnLengths: (dataset) => columnLengths(this.#dataset(dataset)),
    dates: (dataset) => sortedDates(this.#dataset(dataset)),
    placeValues: (dataset, metric, x) => placeValuesOf(this.#dataset(dataset), metric, x),
    extremes: (dataset) => extremesOf(this.#dataset(dataset)),
    bytes: () => this.#body,
    text: async (isIndented) => {
      const text = await this.#body.text();
      return isIndented ? indent(text) : text;
    },
  };

  #dataset(index: number): StoredDataset {
    const dataset = this.#datasets[index];
    if (dataset === undefined) throw new RangeError('The response has no such dataset.');
    return dataset;
  }

  #rows(view: TableView): RowTable {
    const key = JSON.stringify(view);
    if (this.#table?.key !== key) this.#table = { key, rows: new RowTable(this.#dataset(view.dataset), view) };
    return this.#table.rows;
  }
}

const responses = new Map<number, StoredResponse>();
const requests = new Map<number, AbortController>();

// The types of the page are those of a window.
const send = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'start') void start(data);
  else if (data.kind === 'abort') abort(data.responseId);
  else void respondToQuery(data);
});

async function start({ responseId, request }: ToWorker & { kind: 'start' }): Promise<void> {
  const controller = new AbortController();
  requests.set(responseId, controller);
  let reported = -REPORT_MS;
  const report = (bytes: number) => {
    if (performance.now() - reported < REPORT_MS) return;
    reported = performance.now();
    send({ kind: 'progress', responseId, bytes, isComplete: false });
  };
  try {
    const response = await readResponse(request, controller.signal, report);
    send({ kind: 'progress', responseId, bytes: response.body.size, isComplete: true });
    const stored = storeOrExplain(responseId, response, request);
    responses.set(responseId, new StoredResponse(response.body, stored, request.part !== undefined));
    send({ kind: 'done', responseId, summary: stored.summary });
  } catch (error) {
    if (!controller.signal.aborted) send({ kind: 'failed', responseId, failure: failureOf(error) });
  } finally {
    requests.delete(responseId);
  }
}

function abort(responseId: number): void {
  requests.get(responseId)?.abort();
  // The message may have come while the response was parsed. Then the page does not want what is kept.
  responses.delete(responseId);
}

/** Thrown when a response is not JSON. */
class NotJsonError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text.slice(0, 200));
    this.name = 'NotJsonError';
    this.status = status;
  }
}

function storeOrExplain(
  responseId: number,
  response: Parameters<typeof storeResponse>[1],
  request: OperationRequest,
): Stored {
  const before = responses.get(request.part?.after ?? 0)?.stored;
  try {
    return storeResponse(responseId, response, self.location.origin, request, before);
  } catch (error) {
    if (error instanceof SyntaxError) throw new NotJsonError(response.status, response.text);
    throw error;
  }
}

function failureOf(error: unknown): ResponseFailure {
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof NotJsonError) return { kind: 'notJson', status: error.status, detail };
  return { kind: error instanceof RangeError ? 'memory' : 'network', detail };
}

async function respondToQuery({ id, responseId, method, args }: ToWorker & { kind: 'query' }): Promise<void> {
  if (method === 'release') {
    responses.delete(responseId);
    send({ kind: 'result', id, result: undefined });
    return;
  }
  try {
    const queries = responses.get(responseId)?.queries;
    if (queries === undefined) throw new Error('The response was released. Run the query again.');
    const result: unknown = await (queries[method] as (...args: readonly unknown[]) => unknown)(...args);
    send({ kind: 'result', id, result }, buffersOf(result));
  } catch (error) {
    send({ kind: 'rejected', id, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** The typed arrays of a result, which are transferred instead of copied. They were made for it. */
function buffersOf(result: unknown): ArrayBuffer[] {
  const {
    lines = [],
    envelopes = [],
    maps = [],
    histograms = [],
  } = (result ?? {}) as Partial<Lines & HeatMaps & Histograms>;
  return [
    ...lines.flatMap(({ points, starts }) => [points, starts]),
    ...envelopes.map(({ points }) => points),
    ...maps.flatMap(({ cells, counts, firsts, lasts }) => [cells, counts, firsts, lasts]),
    ...histograms.map(({ counts }) => counts),
  ].map(({ buffer }) => buffer);
}
