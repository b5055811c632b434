import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** The part of OTLP that the tests read (opentelemetry/proto/collector/trace/v1, with the same field numbers). */
const PROTO = `
  syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Scope { string name = 1; string version = 2; }
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated Event events = 11; repeated Link links = 13; Status status = 15;
  }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Request { repeated ResourceSpans resource_spans = 1; }
`;

type Attributes = Record<string, unknown>;

/** A span as a collector has got it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if it has no parent. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; readonly time: number; readonly attributes: Attributes }[];
  readonly status: string;
  readonly links: unknown[];
}

/** A collector of OpenTelemetry. */
export interface Collector {
  readonly url: string;
  /** All spans so far, in the order in which they ended. */
  readonly spans: ReceivedSpan[];
  /** All requests so far. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  /** The resources of the requests so far, and the scopes. */
  readonly resources: Attributes[];
  readonly scopes: { readonly name: string; readonly version: string }[];
  /** Waits for so many spans, or for a span of this trace. Returns all so far. */
  receive(awaited: number | string): Promise<ReceivedSpan[]>;
  /** The status of its responses, 200 at first. */
  status: number;
}

interface KeyValue {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

type Proto = Record<string, never> & { name: string };

const { parse } = createRequire(
  createRequire(createRequire(import.meta.url).resolve('@apollo/server')).resolve('@apollo/usage-reporting-protobuf'),
)('@apollo/protobufjs') as {
  parse(text: string): { root: { lookupType(name: string): { decode(body: Buffer): object; toObject: ToObject } } };
};
type ToObject = (message: object, options: object) => { resourceSpans: ResourceSpans[] };
interface ResourceSpans {
  readonly resource: { readonly attributes: KeyValue[] };
  readonly scopeSpans: { readonly scope: { name: string; version: string }; readonly spans: Proto[] }[];
}

const Request = parse(PROTO).root.lookupType('Request');
const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const statuses = ['UNSET', 'OK', 'ERROR'];
const NANOSECONDS = 1e6;

/** Starts a collector, which gets traces by OTLP over HTTP; ends it with the test. */
export async function startCollector(): Promise<Collector> {
  let onSpans: () => void = () => {};
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    collector.requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (collector.status === 200) read(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    response.writeHead(collector.status).end();
    onSpans();
  });
  const read = (body: Buffer) => {
    const options = { longs: Number, defaults: true, arrays: true, oneofs: true };
    for (const { resource, scopeSpans } of Request.toObject(Request.decode(body), options).resourceSpans) {
      collector.resources.push(attributesOf(resource.attributes));
      for (const { scope, spans } of scopeSpans) {
        collector.scopes.push(scope);
        collector.spans.push(...spans.map(spanOf));
      }
    }
  };
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    resources: [],
    scopes: [],
    status: 200,
    receive: (awaited) =>
      new Promise((resolve) => {
        onSpans = () => {
          const { spans } = collector;
          const isThere =
            typeof awaited === 'number'
              ? spans.length >= awaited
              : spans.some(({ traceId, kind }) => traceId === awaited && kind === 'SERVER');
          if (isThere) resolve(spans);
        };
        onSpans();
      }),
  };
  return collector;
}

// biome-ignore lint/suspicious/noExplicitAny: what protobuf decodes has no types
function spanOf({ traceId, spanId, parentSpanId, events, status, links, ...span }: any): ReceivedSpan {
  return {
    traceId: traceId.toString('hex'),
    spanId: spanId.toString('hex'),
    parentSpanId: parentSpanId.toString('hex'),
    traceState: span.traceState,
    name: span.name,
    kind: kinds[span.kind] ?? '',
    start: span.startTimeUnixNano / NANOSECONDS,
    end: span.endTimeUnixNano / NANOSECONDS,
    attributes: attributesOf(span.attributes),
    events: events.map((event: { name: string; timeUnixNano: number; attributes: KeyValue[] }) => ({
      name: event.name,
      time: event.timeUnixNano / NANOSECONDS,
      attributes: attributesOf(event.attributes),
    })),
    status: statuses[status?.code ?? 0] ?? '',
    links,
  };
}

/** Attributes as an object. */
function attributesOf(attributes: readonly KeyValue[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value[value.value as string]]));
}
