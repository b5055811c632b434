import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatedAccount, SimulatedDataset } from './dataset.ts';
import { type Fault, sendResponse } from './faults.ts';
import { createRecorder, type RecordedRequest } from './recorder.ts';
import { labelResponse } from './response.ts';
import { createService } from './service.ts';

export type {
  SimulatedAccount,
  SimulatedAsset,
  SimulatedDataset,
} from './dataset.ts';
export type { Fault } from './faults.ts';
export type { RecordedRequest } from './recorder.ts';

/** The data and the address of a simulator. */
export interface SimulatorOptions {
  accounts: SimulatedAccount[];
  datasets: SimulatedDataset[];
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
}

/**
 * Sets the fault of one request; undefined: the response is as specified. It is called when the request was recorded,
 * before the response. It may wait, to delay the response. If it throws, the response is a 500.
 */
export type InterceptHandler = (request: RecordedRequest) => Fault | undefined | Promise<Fault | undefined>;

/** A running simulator of the REST service and its login service. */
export interface Simulator {
  /** Serves both {base_url} and {auth_url}; without a slash at the end. */
  readonly url: string;
  /** Every request whose body was received, in order of arrival. Always the same array. */
  readonly requests: readonly RecordedRequest[];
  /** Forgets the requests recorded so far. */
  clear(): void;
  /** Replaces the handler that sets faults; undefined: all responses are as specified. */
  intercept(handler: InterceptHandler | undefined): void;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/**
 * Starts a simulator of the service, written from its specification alone (the § numbers in these files are sections
 * of it). It speaks plain HTTP, its only departure from §1. It never compresses: a test that needs compression sets it
 * as a fault.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { accounts, datasets, host = '127.0.0.1', port = 0 } = options;
  const service = createService(accounts, datasets);
  const recorder = createRecorder();
  let handler: InterceptHandler | undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const recorded = await recorder.record(request, response);
    if (socket.destroyed) {
      return;
    }
    try {
      const fault = await handler?.(recorded);
      if (!socket.destroyed) {
        await sendResponse(socket, response, service(recorded), fault);
      }
    } catch (error) {
      if (response.headersSent) {
        socket.destroy();
        return;
      }
      for (const name of response.getHeaderNames()) {
        response.removeHeader(name);
      }
      await sendResponse(socket, response, labelResponse('INTERNAL_SERVER_ERROR', String(error)));
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;

  let closed: Promise<void> | undefined;
  return {
    url: urlOf(server.address() as AddressInfo),
    requests: recorder.requests,
    clear: recorder.clear,
    intercept(replacement) {
      handler = replacement;
    },
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
