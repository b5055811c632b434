import { type Logger, pino } from 'pino';
import { errorCode } from '../core/error-codes.ts';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord } from '../rest/transport/rest-call.ts';

/** The request that a line belongs to. */
export interface LoggedRequest {
  readonly requestId: string;
  /** The span that the line is about. Undefined if there are no traces. */
  readonly trace: { readonly traceId: string; readonly spanId: string } | undefined;
}

/** One GraphQL operation in the log. */
export interface OperationFields {
  readonly outcome: string;
  readonly milliseconds: number;
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

/** The log, and where it goes. */
export interface LogOptions {
  readonly level: string;
  /** The default is standard output. */
  readonly stream?: LogStream | undefined;
}

/** The log of a subgraph: one line each. It never contains what a client or the service sent. */
export interface Log {
  /** Whether it has lines of REST calls and of operations. */
  readonly hasRequests: boolean;
  /** One line for each REST call. */
  restCall(call: RestCallRecord, request: LoggedRequest): void;
  /** One line for each GraphQL operation. */
  operation(operation: OperationFields, request: LoggedRequest): void;
  /** The circuit of a REST operation opened or closed. */
  circuitChange(operation: RestOperation, isOpen: boolean): void;
  /** How many rows of results could not be copied as they are since the start. */
  oddRows(count: number): void;
  /** The service does not filter by asset ids as specified. */
  mergingSuspended(): void;
  /** Traces cannot be sent, or can be sent again. @param code the error code, if it is known */
  traceExport(isFailing: boolean, code?: string): void;
  /** Other hosts can reach the subgraph, and there is no ROUTER_SECRET. */
  exposed(): void;
  /** An internal error: its name and stack frames. Its message may quote what a client sent, so it is not logged. */
  internalError(error: unknown, request?: LoggedRequest, count?: number): void;
  /** The logger of Apollo Server. */
  readonly library: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** Makes the log. */
export function createLog({ level, stream }: LogOptions): Log {
  const logger = stream === undefined ? pino({ level }) : pino({ level }, stream);
  return {
    hasRequests: logger.isLevelEnabled('info'),
    restCall: (call, request) => logger.info(restCallLine(call, request), 'REST call'),
    operation: (operation, request) => logger.info(operationLine(operation, request), 'operation'),
    circuitChange: (operation, isOpen) =>
      isOpen
        ? logger.warn({ operation }, 'The service is down. The circuit is open: only trial calls are made.')
        : logger.warn({ operation }, 'The circuit is closed: calls are made again.'),
    oddRows: (count) => logger.debug({ count }, 'odd rows of results'),
    mergingSuspended: () =>
      logger.warn(
        'The service returned assets of a dataset that a merged call did not request. Its results calls are not merged for five minutes.',
      ),
    traceExport: (isFailing, code) =>
      isFailing
        ? logger.warn({ code }, 'Traces cannot be sent to the collector. They are dropped.')
        : logger.warn('Traces are sent to the collector again.'),
    exposed: () =>
      logger.warn(
        'The subgraph accepts requests from other hosts, and ROUTER_SECRET is not set. Any client that reaches it can send queries.',
      ),
    internalError: (error, request, count = 1) => {
      const { name, message, stack } = error instanceof Error ? error : new TypeError('no Error was thrown');
      // The message precedes the frames and may have lines that look like frames.
      const frames =
        stack
          ?.replace(message, '')
          .split('\n')
          .filter((line) => /^\s+at /.test(line)) ?? [];
      const at = frames.slice(0, 5).map((frame) => frame.trim());
      const { requestId, trace } = request ?? {};
      const ids = { requestId, trace_id: trace?.traceId, span_id: trace?.spanId };
      logger.error({ ...ids, error: name, at, count }, 'internal error');
    },
    library: {
      debug: (message: string) => logger.trace(message),
      info: (message: string) => logger.debug(message),
      warn: (message: string) => logger.warn(message),
      error: (message: string) => logger.error(message),
    },
  };
}

function restCallLine(
  { operation, status, error, milliseconds, bytes }: RestCallRecord,
  { requestId, trace }: LoggedRequest,
): object {
  return {
    operation,
    requestId,
    trace_id: trace?.traceId,
    span_id: trace?.spanId,
    status,
    label: error?.label ?? null,
    milliseconds: rounded(milliseconds),
    bytes,
    // The log omits undefined fields.
    failure: error?.failure,
    cause: errorCode(error?.cause),
  };
}

function operationLine({ milliseconds, ...operation }: OperationFields, { requestId, trace }: LoggedRequest): object {
  const ids = { requestId, trace_id: trace?.traceId, span_id: trace?.spanId };
  return { ...ids, milliseconds: rounded(milliseconds), ...operation };
}

/** Milliseconds with one digit after the point. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
