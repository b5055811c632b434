import { expect } from 'vitest';
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts';
import { type Answer, ofDataset, type Setup, start, type TestBed } from './harness.ts';

/** A query of one REST call, and one of two. */
export const NAME = ofDataset('name');
export const BOTH = ofDataset('name results { sourceId }');

/** Starts a subgraph that sends every span at once to a collector. */
export async function startTraced({ env, ...setup }: Setup = {}): Promise<{ bed: TestBed; collector: Collector }> {
  const collector = await startCollector();
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1' };
  return { collector, bed: await start({ ...setup, env: { ...traces, ...env } }) };
}

/** A span without ids and times, with its children in the order of their names. */
export interface SpanTree {
  /** Kind and name. */
  readonly span: string;
  readonly attributes: Record<string, unknown>;
  readonly events: Record<string, unknown>[];
  readonly status: string;
  readonly children: SpanTree[];
}

/** The trees of spans by their ids: a span whose parent is not among them is the root of one. */
export function treesOf(spans: readonly ReceivedSpan[]): SpanTree[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  const treeOf = ({ kind, name, attributes, events, status, spanId, traceId }: ReceivedSpan): SpanTree => ({
    span: `${kind} ${name}`,
    attributes,
    events: events.map((event) => ({ name: event.name, ...event.attributes })),
    status,
    children: spans
      .filter((span) => span.parentSpanId === spanId && span.traceId === traceId)
      .map(treeOf)
      .toSorted((a, b) => (a.span < b.span ? -1 : 1)),
  });
  return spans.filter(({ parentSpanId }) => !ids.has(parentSpanId)).map(treeOf);
}

type Rest = Partial<Omit<SpanTree, 'span' | 'children'>>;

/** The span of a request to the GraphQL endpoint. */
export function serverSpan(children: SpanTree[], { attributes = {}, ...rest }: Rest = {}): SpanTree {
  const given = { 'http.request.method': 'POST', 'http.route': '/graphql', 'http.response.status_code': 200 };
  return {
    span: 'SERVER POST /graphql',
    attributes: { ...given, ...attributes },
    events: [],
    status: 'UNSET',
    ...rest,
    children,
  };
}

/** The span of a query. */
export function querySpan(children: SpanTree[], { attributes = {}, ...rest }: Rest = {}): SpanTree {
  const given = { 'graphql.operation.type': 'query', ...calls(0, 0) };
  return {
    span: 'INTERNAL query',
    attributes: { ...given, ...attributes },
    events: [],
    status: 'UNSET',
    ...rest,
    children,
  };
}

/** The attributes that count calls of results. */
export const calls = (planned: number, merged: number) => ({
  'dataset_subgraph.results_calls.planned': planned,
  'dataset_subgraph.results_calls.merged': merged,
});

function callSpan(method: string, template: string, { attributes = {}, ...rest }: Rest): SpanTree {
  const given = { 'http.request.method': method, 'url.template': template };
  return {
    span: `CLIENT ${method} ${template}`,
    attributes: { ...given, ...attributes },
    events: [],
    status: 'UNSET',
    ...rest,
    children: [],
  };
}

const ok = { attributes: { 'http.response.status_code': 200 } };

/** The span of a metadata call; one that succeeds, unless it says otherwise. */
export const metadataSpan = (rest: Rest = ok) => callSpan('GET', '/v1/collection/dataset/summary/{id}', rest);

/** The span of a results call. */
export const resultsSpan = (rest: Rest = ok) => callSpan('POST', '/v1/processingresult/dataset/{id}', rest);

/** The span of a download. */
export const fileSpan = (rest: Rest = ok) => callSpan('GET', '/v1/collection/staticdataset/{id}/download', rest);

/** A failure, with what has the status of the response if there is one. */
export function failed(type: string, status?: number): Rest {
  const attributes = { 'error.type': type, ...(status !== undefined && { 'http.response.status_code': status }) };
  return { attributes, status: type === 'cancelled' ? 'UNSET' : 'ERROR' };
}

/** The ids in the lines of a log. */
export const idsIn = (log: readonly string[]) =>
  log.map((line) => JSON.parse(line)).map(({ msg, trace_id, span_id }) => ({ msg, trace_id, span_id }));

/** An answer that has data and no errors. */
export function expectData({ body }: Answer): void {
  expect(body).toEqual({ data: expect.anything() });
}
