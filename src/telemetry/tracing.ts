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
import type { RestCallRecord, TracedCall } from '../rest/transport/rest-call.ts';
import { childOf, headersOf, remoteSpan, type Sampling } from './trace-context.ts';

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

/** Begins the trace of each request (docs/decisions/0037-traces-by-hand.md). */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #sampling: Sampling;
  readonly #sendsUpstream: boolean;

  /**
   * @param tracer records every span that it starts
   * @param sendsUpstream whether REST calls are sent with the trace context
   */
  constructor(tracer: Tracer, sampling: Sampling, sendsUpstream: boolean) {
    this.#tracer = tracer;
    this.#sampling = sampling;
    this.#sendsUpstream = sendsUpstream;
  }

  /** Begins the trace of a request, or joins that of the client. Undefined if its route has no traces. */
  begin(request: TraceableRequest): RequestTrace | undefined {
    if (!traced.test(request.route)) return undefined;
    const parent = remoteSpan(request.headers);
    const requestTrace = new RequestTrace(parent, this.#tracer, this.#sendsUpstream);
    if (this.#sampling.isSampled(parent)) requestTrace.record(request);
    return requestTrace;
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
  readonly #parent: SpanContext | undefined;
  readonly #tracer: Tracer;
  readonly #sendsUpstream: boolean;
  /** Undefined if the trace is not sampled. Then there are no spans at all. */
  #span: Span | undefined;
  /** When `performance.now()` was 0, by the clock of the system, which may have been set since. */
  #epoch = 0;
  #unsampled: SpanContext | undefined;
  #operation: Span | undefined;
  #plannedCalls = 0;
  #mergedCalls = 0;

  constructor(parent: SpanContext | undefined, tracer: Tracer, sendsUpstream: boolean) {
    this.#parent = parent;
    this.#tracer = tracer;
    this.#sendsUpstream = sendsUpstream;
  }

  /** The trace is sampled. */
  record({ method, route }: TraceableRequest): void {
    this.#epoch = Date.now() - performance.now();
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

  /** @param type the type of the operation, such as `query` */
  operationResolved(type: string): void {
    this.#operation?.updateName(type).setAttribute('graphql.operation.type', type);
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

  /** See CallObserver. */
  callSent(operation: RestOperation, resends: number, waited: number): TracedCall | undefined {
    if (this.#span === undefined)
      return this.#sendsUpstream ? new SentCall(undefined, headersOf(this.context)) : undefined;
    const startTime = this.#now() - waited;
    const span = this.#startCall(this.#span, operation, resends, startTime);
    if (waited > 0) span.addEvent('queued', { 'dataset_subgraph.queue.wait_ms': waited }, startTime);
    return new SentCall(span, this.#sendsUpstream ? headersOf(span.spanContext()) : []);
  }

  callRetried(operation: RestOperation): void {
    this.#operation?.addEvent('retry', { 'url.template': requests[operation].template }, this.#now());
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
    const now = this.#now();
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
    const now = this.#now();
    if (this.#operation !== undefined) {
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
    return this.#tracer.startSpan(name, { kind, attributes, startTime }, context);
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
