import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { LinkedList } from '../../core/linked-list.ts';
import type { Usage } from '../../core/usage.ts';
import { Connection, connectionOf, disconnect, type RunningRequests } from './connection.ts';

/** The maximum number of connections above the limit. They are accepted to send each an error. */
const RESERVED_CONNECTIONS = 100;

/** A connection that has sent nothing, or only a part of a request, for this time may be closed for a new one. */
const INACTIVE_MS = 1000;

/** The maximum time until the first request of a new connection, and the interval of the checks for it. */
const FIRST_REQUEST_MS = 500;
const POLL_MS = 10;

/**
 * The connections of clients. At the limit, a new connection replaces an inactive one, so clients with inactive connections
 * cannot block others.
 */
export class Connections {
  readonly #max: number;
  readonly #running: RunningRequests;
  /** Connections that have not sent complete request headers; the oldest first. */
  readonly #unused = new LinkedList<Connection>();
  /** Connections between two requests, the one that is idle for longest first. */
  readonly #idle = new LinkedList<Connection>();
  #size = 0;
  /** How many there are beyond the limit, each for one response. */
  aboveLimit = 0;

  /**
   * @param max the maximum number of connections
   * @param running the running requests
   */
  constructor(max: number, running: RunningRequests) {
    this.#max = max;
    this.#running = running;
  }

  /** Adds a connection. At the limit it closes another one. */
  add(socket: Socket): void {
    if (this.#size >= this.#max) this.#evict(this.#evictionCandidate(performance.now()));
    const isAboveLimit = this.#size >= this.#max;
    if (isAboveLimit && this.aboveLimit >= RESERVED_CONNECTIONS) {
      if (this.#unused.first === undefined) {
        socket.destroy();
        return;
      }
      this.#evict(this.#unused.first.value);
    }
    const connection = new Connection(socket, isAboveLimit);
    this.#size += 1;
    if (isAboveLimit) this.aboveLimit += 1;
    this.#unused.append(connection.entry);
    socket.once('close', () => {
      this.#remove(connection);
      // On Node.js 22 a response that waits behind another one does not emit `close`.
      for (const request of [...connection.requests]) request.end();
    });
  }

  /** A request begins. */
  begin(response: ServerResponse): void {
    const connection = connectionOf(response.req.socket);
    if (connection === undefined) return;
    connection.entry.remove();
    this.#running.begin(response, connection).listeners.push(() => {
      if (!connection.counts || connection.requests.length > 0) return;
      // The time until the next request is not its client's.
      connection.pace = undefined;
      this.#idle.append(connection.entry);
    });
  }

  /** Waits until the first requests of new connections have arrived, or are overdue. */
  async firstRequests(): Promise<void> {
    for (;;) {
      const newest = this.#unused.last?.value.since;
      if (newest === undefined || performance.now() - newest >= FIRST_REQUEST_MS) return;
      await setTimeout(POLL_MS);
    }
  }

  /** How many there are, and how many there may be. */
  get usage(): Usage {
    return { used: this.#size, limit: this.#max };
  }

  /**
   * The connection to close for a new one. The candidates, in this order: an unused one; one between two requests, because
   * clients expect it to be closed at some time; one whose request does not arrive completely.
   */
  #evictionCandidate(now: number): Connection | undefined {
    const { first: unused } = this.#unused;
    if (unused !== undefined && now - unused.value.since >= INACTIVE_MS) return unused.value;
    if (this.#idle.first !== undefined) return this.#idle.first.value;
    for (const { since, connection } of this.#running) {
      if (now - since < INACTIVE_MS) return undefined;
      if (connection.requests.every(({ response }) => !response.req.complete)) return connection;
    }
    return undefined;
  }

  #evict(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#remove(connection);
    disconnect(connection.socket);
  }

  /** It counts no longer. A second time does nothing. */
  #remove(connection: Connection): void {
    if (!connection.counts) return;
    connection.counts = false;
    connection.entry.remove();
    this.#size -= 1;
    if (connection.isAboveLimit) this.aboveLimit -= 1;
  }
}
