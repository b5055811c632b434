import { type Logger, pino } from 'pino';
import { errorCode } from '../core/error-codes.ts';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord } from '../rest/transport/rest-call.ts';

/** The ids of the span that a line is about. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** One GraphQL operation in the log. */
export interface OperationFields {
  readonly outcome: string;
  /** The number of errors in the response, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** The REST calls that were sent. */
  readonly restCalls: number;
  /** Bytes of the bodies of REST responses, as received. */
  readonly restBytes: number;
  /** Bytes of the response. Undefined if it was not sent completely, and not written while it was sent. */
  readonly bytes: number | undefined;
  /** The rows of results that could not be copied as they are. */
  readonly oddRows: number;
}

/** Where the log goes: one JSON object for each line. */
export interface LogStream {
  write(line: string): unknown;
}

/** The log of a subgraph: one line each, without the fields that are undefined. It never contains what a client or the service sent. */
export class Log {
  readonly #logger: Logger;
  /** Whether it has lines of REST calls and of operations. */
  readonly hasRequests: boolean;

  /** @param stream where it goes; undefined: to standard output */
  constructor(level: string, stream: LogStream | undefined) {
    this.#logger = pino({ level }, stream);
    this.hasRequests = this.#logger.isLevelEnabled('info');
  }

  /** The logger of Apollo Server. */
  get library(): Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> {
    return {
      debug: (message: string) => this.#logger.trace(message),
      info: (message: string) => this.#logger.debug(message),
      warn: (message: string) => this.#logger.warn(message),
      error: (message: string) => this.#logger.error(message),
    };
  }

  /** One line for each REST call. */
  restCall(
    { operation, status, error, milliseconds, bytes }: RestCallRecord,
    requestId: string,
    span: SpanIds | undefined,
  ): void {
    const ids = { requestId, trace_id: span?.traceId, span_id: span?.spanId };
    const label = error?.label ?? null;
    const cause = error && errorCode(error.cause);
    const result = { status, label, milliseconds: rounded(milliseconds), bytes, failure: error?.failure, cause };
    this.#logger.info({ operation, ...ids, ...result }, 'REST call');
  }

  /** One line for each GraphQL operation. */
  operation(operation: OperationFields, milliseconds: number, requestId: string, span: SpanIds | undefined): void {
    const ids = { requestId, trace_id: span?.traceId, span_id: span?.spanId };
    this.#logger.info({ ...ids, milliseconds: rounded(milliseconds), ...operation }, 'operation');
  }

  /** The circuit of a REST operation opened or closed. */
  circuitChange(operation: RestOperation, isOpen: boolean): void {
    const opened = 'The service is down. The circuit is open: only trial calls are made.';
    this.#logger.warn({ operation }, isOpen ? opened : 'The circuit is closed: calls are made again.');
  }

  /** How many rows of results could not be copied as they are since the start. */
  oddRows(count: number): void {
    this.#logger.debug({ count }, 'odd rows of results');
  }

  /** The service does not filter by asset ids as specified. */
  mergingSuspended(): void {
    this.#logger.warn(
      'The service returned assets of a dataset that a merged call did not request. Its results calls are not merged for five minutes.',
    );
  }

  /** Traces cannot be sent, or can be sent again. @param code the error code, if it is known */
  traceExport(isFailing: boolean, code?: string): void {
    if (isFailing) this.#logger.warn({ code }, 'Traces cannot be sent to the collector. They are dropped.');
    else this.#logger.warn('Traces are sent to the collector again.');
  }

  /** Other hosts can reach the subgraph, and there is no ROUTER_SECRET. */
  exposed(): void {
    this.#logger.warn(
      'The subgraph accepts requests from other hosts, and ROUTER_SECRET is not set. Any client that reaches it can send queries.',
    );
  }

  /** A setting is not used. */
  ignored(sentence: string): void {
    this.#logger.warn(sentence);
  }

  /** The service is called through a proxy. @param proxies their hosts, without credentials */
  proxied(proxies: readonly string[]): void {
    this.#logger.info({ proxies }, 'Other hosts are reached through a proxy, except for those of NO_PROXY.');
  }

  /** A service is called without encryption. @param setting the one of its URL */
  unencrypted(setting: string): void {
    this.#logger.warn(`${setting} is http: tokens are sent without encryption, unless a mesh encrypts them.`);
  }

  /** An internal error: its name and stack frames. Its message may quote what a client sent, so it is not logged. */
  internalError(error: unknown, requestId?: string, span?: SpanIds, count = 1): void {
    const { name, message, stack } = error instanceof Error ? error : new TypeError('no Error was thrown');
    // The message precedes the frames and may have lines that look like frames.
    const lines = stack?.replace(message, '').split('\n') ?? [];
    const frames = lines.filter((line) => /^\s+at /.test(line)).slice(0, 5);
    const at = frames.map((frame) => frame.trim());
    const ids = { requestId, trace_id: span?.traceId, span_id: span?.spanId };
    this.#logger.error({ ...ids, error: name, at, count }, 'internal error');
  }
}

/** Milliseconds with one digit after the point. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
