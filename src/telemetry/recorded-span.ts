import {
  type Attributes,
  type HrTime,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { childOf } from './trace-context.ts';

/** What all spans of a program have in common, and where they go when they end. */
export interface SpanOutlet extends Pick<ReadableSpan, 'resource' | 'instrumentationScope'> {
  readonly processor: Pick<SpanProcessor, 'onEnd'>;
}

/** How a span begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** Undefined if a trace begins with the span. */
  readonly parent: SpanContext | undefined;
  /** The span keeps this object, and adds to it. */
  readonly attributes: Attributes;
  /** In milliseconds of `performance.now()`. Without it, the span begins now. */
  readonly startTime?: number;
  /** The epoch of another span of the request: spans with the same one are in their order. */
  readonly epoch?: number;
}

/**
 * A sampled span, as an exporter reads it. All times are in milliseconds of `performance.now()`.
 *
 * The SDK takes several times as long to make a span: it checks each attribute twice and measures itself. The spans of this
 * program have a few attributes of known types, so no limit applies to them and nothing is dropped.
 */
export class RecordedSpan implements ReadableSpan {
  name: string;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly attributes: Attributes;
  readonly events: ReadableSpan['events'] = [];
  readonly links: ReadableSpan['links'] = [];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly #outlet: SpanOutlet;
  readonly #context: SpanContext;
  /** When `performance.now()` was 0, by the clock of the system, which may have been set since. */
  readonly epoch: number;
  readonly #startTime: number;
  #endTime: number | undefined;
  #isError = false;

  constructor(
    {
      name,
      kind,
      parent,
      attributes,
      startTime = performance.now(),
      epoch = Date.now() - performance.now(),
    }: SpanStart,
    outlet: SpanOutlet,
  ) {
    this.name = name;
    this.kind = kind;
    this.attributes = attributes;
    this.epoch = epoch;
    this.#startTime = startTime;
    this.#outlet = outlet;
    this.#context = childOf(parent, TraceFlags.SAMPLED);
    if (parent !== undefined) this.parentSpanContext = parent;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  addEvent(name: string, attributes: Attributes = {}, time = performance.now()): void {
    this.events.push({ name, attributes, time: this.#hrTime(time) });
  }

  /** The span is over, and is exported. @param isError whether the work failed */
  end(isError: boolean, time = performance.now()): void {
    this.#isError = isError;
    this.#endTime = time;
    this.#outlet.processor.onEnd(this);
  }

  get ended(): boolean {
    return this.#endTime !== undefined;
  }

  get status(): SpanStatus {
    return { code: this.#isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET };
  }

  get startTime(): HrTime {
    return this.#hrTime(this.#startTime);
  }

  get endTime(): HrTime {
    return this.#hrTime(this.#endTime ?? this.#startTime);
  }

  get duration(): HrTime {
    return hrTime((this.#endTime ?? this.#startTime) - this.#startTime);
  }

  get resource(): SpanOutlet['resource'] {
    return this.#outlet.resource;
  }

  get instrumentationScope(): SpanOutlet['instrumentationScope'] {
    return this.#outlet.instrumentationScope;
  }

  #hrTime(time: number): HrTime {
    return hrTime(this.epoch + time);
  }
}

/** Milliseconds as seconds and nanoseconds. */
function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.floor((milliseconds - seconds * 1000) * 1e6)];
}
