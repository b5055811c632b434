import type { IncomingHttpHeaders } from 'node:http';
import { type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord, TracedCall } from '../rest/transport/call-record.ts';
import { RecordedSpan, type SpanOutlet } from './recorded-span.ts';
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

/** Makes the spans. They are few, and made by hand (docs/decisions/0037-traces-by-hand.md). */
export class Tracing {
  readonly #outlet: SpanOutlet;
  readonly #sampling: Sampling;
  readonly #sendsUpstream: boolean;

  /** @param sendsUpstream whether REST calls are sent with the trace context */
  constructor(outlet: SpanOutlet, sampling: Sampling, sendsUpstream: boolean) {
    this.#outlet = outlet;
    this.#sampling = sampling;
    this.#sendsUpstream = sendsUpstream;
  }

  /** Begins the trace of a request, or joins that of the client. Undefined if its route has no traces. */
  begin({ method, route, headers }: TraceableRequest): RequestTrace | undefined {
    if (!traced.test(route)) return undefined;
    const parent = remoteSpan(headers);
    const span = this.#sampling.isSampled(parent) ? this.#startSpan(method, route, parent) : undefined;
    return new RequestTrace(span, parent, this.#outlet, this.#sendsUpstream);
  }

  #startSpan(method: string, route: string, parent: SpanContext | undefined): RecordedSpan {
    const attributes = { 'http.request.method': method, 'http.route': route };
    return new RecordedSpan({ name: `${method} ${route}`, kind: SpanKind.SERVER, parent, attributes }, this.#outlet);
  }
}

/** A call that was sent. */
class SentCall implements TracedCall {
  /** Undefined if the trace is not sampled. */
  readonly span: RecordedSpan | undefined;
  readonly headers: readonly string[];

  constructor(span: RecordedSpan | undefined, headers: readonly string[]) {
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
  readonly #span: RecordedSpan | undefined;
  readonly #parent: SpanContext | undefined;
  readonly #outlet: SpanOutlet;
  readonly #sendsUpstream: boolean;
  #unsampled: SpanContext | undefined;
  #operation: RecordedSpan | undefined;
  #plannedCalls = 0;
  #mergedCalls = 0;

  constructor(
    span: RecordedSpan | undefined,
    parent: SpanContext | undefined,
    outlet: SpanOutlet,
    sendsUpstream: boolean,
  ) {
    this.#span = span;
    this.#parent = parent;
    this.#outlet = outlet;
    this.#sendsUpstream = sendsUpstream;
  }

  /** The ids of the request's span, for the log and for the REST service. One that is not sampled gets them on first use. */
  get context(): SpanContext {
    if (this.#span !== undefined) return this.#span.spanContext();
    this.#unsampled ??= childOf(this.#parent, TraceFlags.NONE);
    return this.#unsampled;
  }

  operationStarted(): void {
    if (this.#span === undefined) return;
    const { epoch } = this.#span;
    const parent = this.#span.spanContext();
    this.#operation = new RecordedSpan(
      { name: 'GraphQL Operation', kind: SpanKind.INTERNAL, parent, attributes: {}, epoch },
      this.#outlet,
    );
  }

  /** @param type the type of the operation, such as `query` */
  operationResolved(type: string): void {
    if (this.#operation === undefined) return;
    this.#operation.name = type;
    this.#operation.attributes['graphql.operation.type'] = type;
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
    if (status !== null) span.attributes['http.response.status_code'] = status;
    if (error?.failure === 'circuitOpen') span.addEvent('circuit open', {}, now);
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
      this.#operation.attributes['dataset_subgraph.results_calls.planned'] = this.#plannedCalls;
      this.#operation.attributes['dataset_subgraph.results_calls.merged'] = this.#mergedCalls;
      end(this.#operation, failure);
    }
    if (status !== undefined) this.#span.attributes['http.response.status_code'] = status;
    end(this.#span, failure);
  }

  #startCall(request: RecordedSpan, operation: RestOperation, resends: number, startTime: number): RecordedSpan {
    const { method, template } = requests[operation];
    const attributes = {
      'http.request.method': method,
      'url.template': template,
      ...(resends > 0 && { 'http.request.resend_count': resends }),
    };
    const parent = (this.#operation ?? request).spanContext();
    const start = {
      name: `${method} ${template}`,
      kind: SpanKind.CLIENT,
      parent,
      attributes,
      startTime,
      epoch: request.epoch,
    };
    return new RecordedSpan(start, this.#outlet);
  }
}

/** Ends a span. That a client left is no error. */
function end(span: RecordedSpan, failure: string | undefined, time?: number): void {
  if (failure !== undefined) span.attributes['error.type'] = failure;
  span.end(failure !== undefined && failure !== 'cancelled', time);
}
