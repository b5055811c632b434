import { type Logger, pino } from 'pino';
import type { RestCallRecord } from '../rest/call-record.ts';
import type { RestOperation } from '../rest/errors.ts';
import type { FastPathCounts } from '../results/results.ts';

/** The log of a subgraph: one JSON object a line, nothing in it that a caller or the service has sent. */
export interface Log {
  /** One line for each REST call. */
  restCall(call: RestCallRecord): void;
  /** An operation of the service is down, and no longer called; or it is called again. */
  circuitChange(operation: RestOperation, isDown: boolean): void;
  /** How often results were answered on the fast path since the start, and how often and why not. */
  fastPath(counts: FastPathCounts): void;
  /** The service does not read asset ids as specified. */
  mergingOff(): void;
  /** Others than the programs of this host reach the subgraph, and nothing tells the router from them. */
  exposed(): void;
  /** A fault of this program, by its name and where it arose: its message may quote what a caller has sent. */
  internalError(error: unknown): void;
  /** What the GraphQL library has to say. */
  readonly library: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** Makes the log, on standard output unless a stream is given. */
export function createLog(level: string, stream?: { write(line: string): void }): Log {
  const logger = stream === undefined ? pino({ level }) : pino({ level }, stream);
  return {
    restCall: (call) => logger.info(call, 'REST call'),
    circuitChange: (operation, isDown) =>
      isDown
        ? logger.warn({ operation }, 'The service is down: but for a call from time to time, no calls are made.')
        : logger.warn({ operation }, 'The service is back: calls are made again.'),
    fastPath: (counts) => logger.debug(counts, 'results answered on the fast path'),
    mergingOff: () =>
      logger.warn('The service answers results calls with assets not asked for: such calls are shared no more.'),
    exposed: () =>
      logger.warn('The subgraph listens beyond this host without ROUTER_SECRET: it answers whoever reaches it.'),
    internalError: (error) => {
      const { name, message, stack } = error instanceof Error ? error : new TypeError('no Error was thrown');
      // The message stands before the frames, and may have lines that look like one.
      const frames =
        stack
          ?.replace(message, '')
          .split('\n')
          .filter((line) => /^\s+at /.test(line)) ?? [];
      logger.error({ error: name, at: frames.slice(0, 5).map((frame) => frame.trim()) }, 'internal error');
    },
    library: {
      debug: (message: string) => logger.trace(message),
      info: (message: string) => logger.debug(message),
      warn: (message: string) => logger.warn(message),
      error: (message: string) => logger.error(message),
    },
  };
}
