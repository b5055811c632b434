import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord, RestRequest } from '../rest/transport/rest-call.ts';
import { childOf, headersOf, isSampled, remoteSpan, type Sampling } from './trace-context.ts';

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

/** What the traces of all requests are made with (docs/decisions/README.md, 37). */
export interface Tracing {
  /** Records every span that it starts. */
  readonly tracer: Tracer;
  readonly sampling: Sampling;
  /** Whether REST calls are sent with the trace context. */
  readonly sendsUpstream: boolean;
}

/** Begins the trace of a request, or joins that of the client. Undefined if its route has no traces. */
export function beginTrace(request: TraceableRequest, tracing: Tracing): RequestTrace | undefined {
  return traced.test(request.route) ? new RequestTrace(request, tracing) : undefined;
}

/**
 * The spans of one request: SERVER for the request, INTERNAL for its GraphQL operation, and CLIENT for each REST call. No
 * attribute has what a client or the service sent.
 */
export class RequestTrace {
  readonly #tracing: Tracing;
  readonly #parent: SpanContext | undefined;
  /** When `performance.now()` was 0, by the clock of the system, which may have been set since. */
  readonly #epoch = Date.now() - performance.now();
  /** Undefined if the trace is not sampled. Then there are no spans at all. */
  readonly #span: Span | undefined;
  #unsampled: SpanContext | undefined;
  #operation: Span | undefined;
  /** Those of the calls that were sent. */
  readonly #calls = new WeakMap<RestRequest, Span>();
  #plannedCalls = 0;
  #mergedCalls = 0;

  constructor({ method, route, headers }: TraceableRequest, tracing: Tracing) {
    this.#tracing = tracing;
    this.#parent = remoteSpan(headers);
    if (!isSampled(tracing.sampling, this.#parent)) return;
    const attributes = { 'http.request.method': method, 'http.route': route };
    this.#span = this.#start(`${method} ${route}`, SpanKind.SERVER, this.#parent, attributes, this.#now());
  }

  /** The ids of the request's span, for the log and for the REST service. One that is not sampled gets them on first use. */
  get context(): SpanContext {
    if (this.#span !== undefined) return this.#span.spanContext();
    this.#unsampled ??= childOf(this.#parent, TraceFlags.NONE);
    return this.#unsampled;
  }

  operationStarted(): void {
    if (this.#span === undefined) return;
    const parent = this.#span.spanContext();
    this.#operation = this.#start('GraphQL Operation', SpanKind.INTERNAL, parent, {}, this.#now());
  }

  /** There is no operation after all. A span that does not end is not exported. */
  markAsPage(): void {
    this.#operation = undefined;
  }

  /** A call of results is made. @param isMerged whether it serves several requests for results */
  callPlanned(isMerged: boolean): void {
    this.#plannedCalls += 1;
    if (isMerged) this.#mergedCalls += 1;
  }

  /** A call is about to be sent. Returns the headers to send with it. */
  callSent(request: RestRequest, resends: number, waited: number): readonly string[] {
    const { sendsUpstream } = this.#tracing;
    if (this.#span === undefined) return sendsUpstream ? headersOf(this.context) : [];
    const startTime = this.#now() - waited;
    const span = this.#startCall(this.#span, request.operation, resends, startTime);
    if (waited > 0) span.addEvent('queued', { 'dataset_subgraph.queue.wait_ms': waited }, startTime);
    this.#calls.set(request, span);
    return sendsUpstream ? headersOf(span.spanContext()) : [];
  }

  callRetried(operation: RestOperation): void {
    this.#operation?.addEvent('retry', { 'url.template': requests[operation].template }, this.#now());
  }

  /** Ends the span of a call. Returns its ids; undefined if it has no span. */
  callEnded(call: RestCallRecord): SpanContext | undefined {
    if (this.#span === undefined) return undefined;
    const { operation, request, status, error, milliseconds, resends } = call;
    const now = this.#now();
    // A call that was not sent has no span yet.
    const sent = request && this.#calls.get(request);
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
   * @param type that of its operation, such as `query`; undefined if it is not known
   */
  ended(status: number | undefined, failure: string | undefined, type: string | undefined): void {
    if (this.#span === undefined) return;
    const now = this.#now();
    if (this.#operation !== undefined) {
      if (type !== undefined) this.#operation.updateName(type).setAttribute('graphql.operation.type', type);
      this.#operation.setAttribute('dataset_subgraph.results_calls.planned', this.#plannedCalls);
      this.#operation.setAttribute('dataset_subgraph.results_calls.merged', this.#mergedCalls);
      end(this.#operation, failure, now);
    }
    if (status !== undefined) this.#span.setAttribute('http.response.status_code', status);
    end(this.#span, failure, now);
  }

  #startCall(request: Span, operation: RestOperation, resends: number, startTime: number): Span {
    const { method, template } = requests[operation];
    const attributes = {
      'http.request.method': method,
      'url.template': template,
      ...(resends > 0 && { 'http.request.resend_count': resends }),
    };
    const parent = (this.#operation ?? request).spanContext();
    return this.#start(`${method} ${template}`, SpanKind.CLIENT, parent, attributes, startTime);
  }

  /** Starts a span. Its time is given, so that all spans are in order: those of the SDK begin at whole milliseconds. */
  #start(
    name: string,
    kind: SpanKind,
    parent: SpanContext | undefined,
    attributes: Attributes,
    startTime: number,
  ): Span {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.#tracing.tracer.startSpan(name, { kind, attributes, startTime }, context);
  }

  #now(): number {
    return this.#epoch + performance.now();
  }
}

/** Ends a span. That a client left is no error. */
function end(span: Span, failure: string | undefined, time: number): void {
  if (failure !== undefined) span.setAttribute('error.type', failure);
  if (failure !== undefined && failure !== 'cancelled') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(time);
}
