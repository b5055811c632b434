import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RestCallRecord, TracedCall } from '../rest/call-record.ts';
import type { RestOperation } from '../rest/errors.ts';
import type { Sampling } from './sampling.ts';
import { headersOf, remoteSpan } from './trace-context.ts';

/** A request that may be traced. */
export interface TraceableRequest {
  readonly method: string;
  /** The route of the program, not the path of the request. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
}

/** The routes that do the work. Health checks and pages have no traces. */
const traced = /^\/(graphql$|download\/)/;

/** Each REST operation as its spans show it: no base URL, no ids. */
const requests: Readonly<Record<RestOperation, { readonly method: string; readonly template: string }>> = {
  getDatasetMetadata: { method: 'GET', template: '/v1/collection/dataset/summary/{id}' },
  getDatasetResults: { method: 'POST', template: '/v1/processingresult/dataset/{id}' },
  downloadStaticDataset: { method: 'GET', template: '/v1/collection/staticdataset/{id}/download' },
};

const internal = { kind: SpanKind.INTERNAL };

/** Makes the spans. They are few, and made by hand (docs/decisions/0037-traces-by-hand.md). */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #sampling: Sampling;
  readonly #sendsUpstream: boolean;

  /** @param sendsUpstream whether REST calls are sent with the trace context */
  constructor(tracer: Tracer, sampling: Sampling, sendsUpstream: boolean) {
    this.#tracer = tracer;
    this.#sampling = sampling;
    this.#sendsUpstream = sendsUpstream;
  }

  /** Begins the trace of a request, or joins that of the client. Undefined if its route has no traces. */
  begin({ method, route, headers }: TraceableRequest): RequestTrace | undefined {
    if (!traced.test(route)) return undefined;
    const parent = remoteSpan(headers);
    const span = this.#sampling.isSampled(parent) ? this.#startSpan(method, route, parent) : undefined;
    return new RequestTrace(span, parent, this.#tracer, this.#sendsUpstream);
  }

  #startSpan(method: string, route: string, parent: SpanContext | undefined): Span {
    const attributes = { 'http.request.method': method, 'http.route': route };
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.#tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, context);
  }
}

/** A call that was sent. */
class SentCall implements TracedCall {
  /** Undefined if the trace is not sampled. */
  readonly span: Span | undefined;
  readonly headers: readonly string[];

  constructor(span: Span | undefined, headers: readonly string[]) {
    this.span = span;
    this.headers = headers;
  }
}

/**
 * The spans of one request: SERVER for the request, INTERNAL for its GraphQL operation, and CLIENT for each REST call. No
 * attribute has what a client or the service sent.
 */
export class RequestTrace {
  /** Undefined if the trace is not sampled. Then there are no spans at all. */
  readonly #span: Span | undefined;
  readonly #parent: SpanContext | undefined;
  readonly #tracer: Tracer;
  readonly #sendsUpstream: boolean;
  #unsampled: SpanContext | undefined;
  #operation: Span | undefined;
  #plannedCalls = 0;
  #mergedCalls = 0;

  constructor(span: Span | undefined, parent: SpanContext | undefined, tracer: Tracer, sendsUpstream: boolean) {
    this.#span = span;
    this.#parent = parent;
    this.#tracer = tracer;
    this.#sendsUpstream = sendsUpstream;
  }

  /** The ids of the request's span, for the log and for the REST service. One that is not sampled gets them on first use. */
  get context(): SpanContext {
    if (this.#span !== undefined) return this.#span.spanContext();
    this.#unsampled ??= unsampledSpan(this.#parent);
    return this.#unsampled;
  }

  operationStarted(): void {
    if (this.#span === undefined) return;
    this.#operation = this.#tracer.startSpan('GraphQL Operation', internal, contextOf(this.#span));
  }

  /** @param type the type of the operation, such as `query` */
  operationResolved(type: string): void {
    this.#operation?.updateName(type).setAttribute('graphql.operation.type', type);
  }

  /** There is no operation after all. A span that does not end is not exported. */
  isPage(): void {
    this.#operation = undefined;
  }

  /** A call of results is made. @param isMerged whether it serves several requests for results */
  callPlanned(isMerged: boolean): void {
    this.#plannedCalls += 1;
    if (isMerged) this.#mergedCalls += 1;
  }

  /** See CallObserver. */
  callSent(operation: RestOperation, resends: number, waited: number): TracedCall | undefined {
    const request = this.#span;
    if (request === undefined)
      return this.#sendsUpstream ? new SentCall(undefined, headersOf(this.context)) : undefined;
    const startTime = performance.now() - waited;
    const span = this.#startCall(request, operation, resends, startTime);
    if (waited > 0) span.addEvent('queued', { 'dataset_subgraph.queue.wait_ms': waited }, startTime);
    return new SentCall(span, this.#sendsUpstream ? headersOf(span.spanContext()) : []);
  }

  callRetried(operation: RestOperation): void {
    this.#operation?.addEvent('retry', { 'url.template': requests[operation].template });
  }

  /** Ends the span of a call. Returns its ids; undefined if it has no span. */
  callEnded({
    operation,
    status,
    error,
    milliseconds,
    resends,
    traced: call,
  }: RestCallRecord): SpanContext | undefined {
    if (this.#span === undefined) return undefined;
    const now = performance.now();
    // A call that was not sent has no span yet.
    const sent = call instanceof SentCall ? call.span : undefined;
    const span = sent ?? this.#startCall(this.#span, operation, resends, now - milliseconds);
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (error?.failure === 'circuitOpen') span.addEvent('circuit open', now);
    end(span, error?.failure, now);
    return span.spanContext();
  }

  /**
   * The response is over.
   *
   * @param status the status of a complete response; undefined if its connection broke before
   * @param failure why the request failed; `cancelled` if the client left
   */
  ended(status: number | undefined, failure: string | undefined): void {
    if (this.#span === undefined) return;
    if (this.#operation !== undefined) {
      this.#operation.setAttributes({
        'dataset_subgraph.results_calls.planned': this.#plannedCalls,
        'dataset_subgraph.results_calls.merged': this.#mergedCalls,
      });
      end(this.#operation, failure);
    }
    if (status !== undefined) this.#span.setAttribute('http.response.status_code', status);
    end(this.#span, failure);
  }

  #startCall(request: Span, operation: RestOperation, resends: number, startTime: number): Span {
    const { method, template } = requests[operation];
    const attributes = {
      'http.request.method': method,
      'url.template': template,
      ...(resends > 0 && { 'http.request.resend_count': resends }),
    };
    const parent = contextOf(this.#operation ?? request);
    return this.#tracer.startSpan(`${method} ${template}`, { kind: SpanKind.CLIENT, attributes, startTime }, parent);
  }
}

/** A span that is not sampled: nobody records it. */
function unsampledSpan(parent: SpanContext | undefined): SpanContext {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const { traceState } = parent ?? {};
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceFlags: TraceFlags.NONE, ...(traceState && { traceState }) };
}

/** A context with this span as the parent. Contexts are passed by hand: what Node.js offers for it costs every promise. */
function contextOf(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

/** Ends a span. That a client left is no error. */
function end(span: Span, failure: string | undefined, time?: number): void {
  if (failure !== undefined) span.setAttribute('error.type', failure);
  if (failure !== undefined && failure !== 'cancelled') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(time);
}
