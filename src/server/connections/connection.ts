import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { LinkedList, ListEntry } from '../../core/linked-list.ts';
import type { Pace } from './pace.ts';

/** A connection of a client. */
export class Connection {
  readonly socket: Socket;
  /** Whether there were as many as there may be. */
  readonly isAboveLimit: boolean;
  /** Its entry among the connections without a running request, while it has none. */
  readonly entry: ListEntry<Connection> = new ListEntry<Connection>(this);
  /** Whether it counts for the limit: it does until it is closed, or has to make room for another one. */
  counts = true;
  /** When it was made. */
  readonly since: number = performance.now();
  /** The requests that run on it, in their order. There are several if the client does not wait for responses. */
  readonly requests: RunningRequest[] = [];
  /** How far its client is behind, while data waits for it. */
  pace: Pace | undefined;

  constructor(socket: Socket, isAboveLimit: boolean) {
    this.socket = socket;
    this.isAboveLimit = isAboveLimit;
    connections.set(socket, this);
  }
}

const connections = new WeakMap<Socket, Connection>();
const running = new WeakMap<ServerResponse, RunningRequest>();

/** A request from its headers to the end of its response. */
export class RunningRequest {
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly entry: ListEntry<RunningRequest> = new ListEntry<RunningRequest>(this);
  readonly since: number = performance.now();
  /** What the shutdown aborts of it. Undefined unless it is a GraphQL operation. */
  operation: { abort(reason: 'shutting_down'): void } | undefined;
  /** What is called when its response is sent completely, or its connection is closed. */
  readonly listeners: (() => void)[] = [];

  constructor(response: ServerResponse, connection: Connection) {
    this.response = response;
    this.connection = connection;
    connection.requests.push(this);
    running.set(response, this);
    response.once('close', () => this.end());
  }

  /** It is over. A second time does nothing. */
  end(): void {
    if (!running.delete(this.response)) return;
    const { requests } = this.connection;
    requests.splice(requests.indexOf(this), 1);
    for (const listener of this.listeners) listener();
  }
}

/** The connection that a socket belongs to. Undefined if it was rejected. */
export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** The request of a response. Undefined if it is over. */
export function runningRequest(response: ServerResponse): RunningRequest | undefined {
  return running.get(response);
}

/** Calls a listener exactly once, when a response is sent completely or its connection is closed; at once if that has happened. */
export function onResponseClosed(response: ServerResponse, listener: () => void): void {
  const request = running.get(response);
  if (request === undefined) listener();
  else request.listeners.push(listener);
}

/**
 * Closes a connection at once, so that no response on it looks complete that is not. In HTTP/1.0 a response of unknown length
 * ends with its connection (RFC 9112, section 6.3): only a reset tells the client that bytes are missing. A reset drops what
 * the kernel has not sent yet, so other connections are just closed.
 */
export function disconnect(socket: Socket): void {
  const needsReset = openResponses(socket).some(({ headersSent, req }) => headersSent && req.httpVersion !== '1.1');
  if (needsReset) socket.resetAndDestroy();
  else socket.destroy();
}

/** Breaks off a response that has begun. One that waits behind another one breaks its connection when its turn comes. */
export function breakOff(response: ServerResponse): void {
  if (response.socket !== null) disconnect(response.socket);
  response.destroy();
}

/** Whether a response of a connection has begun, and is not written completely. */
export function isWriting(socket: Socket): boolean {
  return openResponses(socket).some(({ headersSent, writableEnded }) => headersSent && !writableEnded);
}

function openResponses(socket: Socket): readonly ServerResponse[] {
  return (connections.get(socket)?.requests ?? []).map(({ response }) => response);
}

/**
 * All requests that run, the oldest first. The limit of operations, the limit of connections, the check for slow clients, the
 * shutdown and the gauges read this list.
 */
export class RunningRequests {
  readonly #running = new LinkedList<RunningRequest>();
  #idle: PromiseWithResolvers<void> | undefined;
  /** Whether the shutdown has begun. */
  stopping = false;

  /** How many run. */
  get size(): number {
    return this.#running.size;
  }

  /** Those that run now, the oldest first. */
  [Symbol.iterator](): Iterator<RunningRequest> {
    return this.#running[Symbol.iterator]();
  }

  /** Adds a request. During the shutdown, each is the last one of its connection. */
  begin(response: ServerResponse, connection: Connection): RunningRequest {
    const request = new RunningRequest(response, connection);
    if (this.stopping) response.setHeader('connection', 'close');
    this.#running.append(request.entry);
    request.listeners.push(() => {
      request.entry.remove();
      if (this.#running.size === 0) this.#idle?.resolve();
    });
    return request;
  }

  /** Begins the shutdown: every connection is closed after its current response. */
  stop(): void {
    this.stopping = true;
    for (const { response } of this.#running) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Aborts all operations because of the shutdown. */
  abortOperations(): void {
    for (const { operation } of this.#running) operation?.abort('shutting_down');
  }

  /** Breaks off what still runs. */
  breakOff(): void {
    for (const { response } of this.#running) breakOff(response);
  }

  /** Waits until no request runs, at most this long. Returns whether no request runs. */
  async idleWithin(milliseconds: number): Promise<boolean> {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, milliseconds);
    let timedOut = false;
    timeout.promise.then(() => {
      timedOut = true;
    });
    while (!timedOut) {
      if (this.#running.size > 0) {
        this.#idle = Promise.withResolvers();
        await Promise.race([this.#idle.promise, timeout.promise]);
      }
      // Received requests are read within two turns of the event loop.
      await setImmediate();
      await setImmediate();
      if (this.#running.size === 0) break;
    }
    clearTimeout(timer);
    return this.#running.size === 0;
  }
}
