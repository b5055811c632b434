import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { onResponseClosed, openResponses } from './response-closed.ts';

/** The maximum number of connections above the limit. They are accepted to send each an error. */
const RESERVED_CONNECTIONS = 100;

/** A connection that has sent nothing, or only a part of a request, for this time may be closed for a new one. */
const INACTIVE_MS = 1000;

/** The maximum time until the first request of a new connection, and the interval of the checks for it. */
const FIRST_REQUEST_MS = 500;
const POLL_MS = 10;

/** Connections in one state, each with the time when it entered the state, the oldest first. */
type Since = Map<Socket, number>;

/**
 * The connections of clients. At the limit, a new connection replaces an inactive one, so clients with inactive connections
 * cannot block others.
 */
export class Connections {
  readonly #max: number;
  /** Connections that have not sent complete request headers. */
  readonly #unused: Since = new Map();
  /** Connections between two requests. */
  readonly #idle: Since = new Map();
  /** Connections with an open request. */
  readonly #busy: Since = new Map();
  readonly #aboveLimit = new Set<Socket>();

  /** @param max the maximum number of connections */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a connection. At the limit it closes another one. */
  add(socket: Socket): void {
    const now = performance.now();
    if (this.#size >= this.#max) this.#evict(this.#evictionCandidate(now));
    if (this.#size >= this.#max) {
      if (this.#aboveLimit.size >= RESERVED_CONNECTIONS) {
        const [oldest = socket] = this.#unused.keys();
        this.#evict(oldest);
        if (oldest === socket) return;
      }
      this.#aboveLimit.add(socket);
    }
    this.#unused.set(socket, now);
    socket.once('close', () => this.#forget(socket));
  }

  /** Tracks the response of a new request. */
  begin(response: ServerResponse): void {
    const { socket } = response.req;
    if (!this.#busy.has(socket)) {
      this.#unused.delete(socket);
      this.#idle.delete(socket);
      this.#busy.set(socket, performance.now());
    }
    onResponseClosed(response, () => {
      if (openResponses(socket).size === 0 && this.#busy.delete(socket)) this.#idle.set(socket, performance.now());
    });
  }

  /** The connections with an open request. */
  busy(): Iterable<Socket> {
    return this.#busy.keys();
  }

  /** Waits until the first requests of new connections have arrived, or are overdue. */
  async firstRequests(): Promise<void> {
    for (;;) {
      const newest = [...this.#unused.values()].at(-1);
      if (newest === undefined || performance.now() - newest >= FIRST_REQUEST_MS) return;
      await setTimeout(POLL_MS);
    }
  }

  /** Whether a connection is above the limit. */
  isAboveLimit(socket: Socket): boolean {
    return this.#aboveLimit.size > 0 && this.#aboveLimit.has(socket);
  }

  get #size(): number {
    return this.#unused.size + this.#idle.size + this.#busy.size;
  }

  /**
   * The connection to close for a new one. The candidates, in this order: an unused one; one between two requests, because
   * clients expect it to be closed at some time; one whose request does not arrive completely.
   */
  #evictionCandidate(now: number): Socket | undefined {
    const [unused] = this.#unused;
    if (unused !== undefined && now - unused[1] >= INACTIVE_MS) return unused[0];
    const [idle] = this.#idle.keys();
    if (idle !== undefined) return idle;
    for (const [socket, since] of this.#busy) {
      if (now - since < INACTIVE_MS) return undefined;
      if ([...openResponses(socket).keys()].every(({ req }) => !req.complete)) return socket;
    }
    return undefined;
  }

  #evict(socket: Socket | undefined): void {
    if (socket === undefined) return;
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#unused.delete(socket);
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#aboveLimit.delete(socket);
  }
}
