import { type SpanContext, TraceFlags } from '@opentelemetry/api';

/**
 * Decides which traces are recorded, before any span is made: the SDK takes about 1 µs to make a span that is not recorded,
 * which is 2 % of a metadata response.
 */
export class Sampling {
  readonly #followsParent: boolean;
  readonly #root: string | undefined;
  readonly #ratio: number;
  readonly #isTraceIdSampled: (traceId: string) => boolean;

  /**
   * @param name an OTEL_TRACES_SAMPLER
   * @param ratio the share of the traces, for samplers that have one
   * @param isTraceIdSampled decides by the trace id for that share, as other services do
   */
  constructor(name: string, ratio: number, isTraceIdSampled: (traceId: string) => boolean) {
    const [, parentBased, root] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
    this.#followsParent = parentBased !== undefined;
    this.#root = root;
    this.#ratio = ratio;
    this.#isTraceIdSampled = isTraceIdSampled;
  }

  /** Whether a trace is recorded. @param parent the span of the client; undefined if a new trace begins */
  isSampled(parent: SpanContext | undefined): boolean {
    if (parent !== undefined && this.#followsParent) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    if (this.#root !== 'traceidratio') return this.#root === 'always_on';
    // The id of a new trace would be random, too.
    return parent === undefined ? Math.random() < this.#ratio : this.#isTraceIdSampled(parent.traceId);
  }
}
