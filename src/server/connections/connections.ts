import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { LinkedList, type ListEntry } from '../../core/linked-list.ts';
import type { Usage } from '../../core/usage.ts';
import { disconnect, hasOpenResponse, onResponseClosed, openResponses } from './response-closed.ts';

/** The maximum number of connections above the limit. They are accepted to send each an error. */
const RESERVED_CONNECTIONS = 100;

/** A connection that has sent nothing, or only a part of a request, for this time may be closed for a new one. */
const INACTIVE_MS = 1000;

/** The maximum time until the first request of a new connection, and the interval of the checks for it. */
const FIRST_REQUEST_MS = 500;
const POLL_MS = 10;

/** A connection in a state. */
interface Connection {
  readonly socket: Socket;
  /** When it entered the state. */
  since: number;
  readonly isAboveLimit: boolean;
}

/**
 * The connections of clients. At the limit, a new connection replaces an inactive one, so clients with inactive connections
 * cannot block others.
 */
export class Connections {
  readonly #max: number;
  /** Connections that have not sent complete request headers; in each state the oldest first. */
  readonly #unused = new LinkedList<Connection>();
  /** Connections between two requests. */
  readonly #idle = new LinkedList<Connection>();
  /** Connections with an open request. */
  readonly #busy = new LinkedList<Connection>();
  readonly #entries = new WeakMap<Socket, ListEntry<Connection>>();
  #aboveLimit = 0;

  /** @param max the maximum number of connections */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a connection. At the limit it closes another one. */
  add(socket: Socket): void {
    const since = performance.now();
    if (this.#size >= this.#max) this.#evict(this.#evictionCandidate(since));
    const isAboveLimit = this.#size >= this.#max;
    if (isAboveLimit && this.#aboveLimit >= RESERVED_CONNECTIONS) {
      if (this.#unused.first === undefined) {
        socket.destroy();
        return;
      }
      this.#evict(this.#unused.first);
    }
    if (isAboveLimit) this.#aboveLimit += 1;
    const entry = this.#unused.add({ socket, since, isAboveLimit });
    this.#entries.set(socket, entry);
    socket.once('close', () => this.#forget(entry));
  }

  /** Tracks the response of a new request. */
  begin(response: ServerResponse): void {
    const { socket } = response.req;
    const entry = this.#entries.get(socket);
    if (entry?.list !== undefined && entry.list !== this.#busy) enter(entry, this.#busy);
    onResponseClosed(response, () => {
      if (entry?.list === this.#busy && !hasOpenResponse(socket)) enter(entry, this.#idle);
    });
  }

  /** The connections with an open request. */
  busy(): Iterable<Socket> {
    return [...this.#busy].map(({ socket }) => socket);
  }

  /** Waits until the first requests of new connections have arrived, or are overdue. */
  async firstRequests(): Promise<void> {
    for (;;) {
      const newest = this.#unused.last?.value.since;
      if (newest === undefined || performance.now() - newest >= FIRST_REQUEST_MS) return;
      await setTimeout(POLL_MS);
    }
  }

  /** Whether a connection is above the limit. */
  isAboveLimit(socket: Socket): boolean {
    return this.#aboveLimit > 0 && this.#entries.get(socket)?.value.isAboveLimit === true;
  }

  /** How many there are, and how many there may be. */
  get usage(): Usage {
    return { used: this.#size, limit: this.#max };
  }

  get #size(): number {
    return this.#unused.size + this.#idle.size + this.#busy.size;
  }

  /**
   * The connection to close for a new one. The candidates, in this order: an unused one; one between two requests, because
   * clients expect it to be closed at some time; one whose request does not arrive completely.
   */
  #evictionCandidate(now: number): ListEntry<Connection> | undefined {
    const { first: unused } = this.#unused;
    if (unused !== undefined && now - unused.value.since >= INACTIVE_MS) return unused;
    if (this.#idle.first !== undefined) return this.#idle.first;
    for (let entry = this.#busy.first; entry !== undefined; entry = entry.next) {
      const { socket, since } = entry.value;
      if (now - since < INACTIVE_MS) return undefined;
      if (openResponses(socket).every(({ req }) => !req.complete)) return entry;
    }
    return undefined;
  }

  #evict(entry: ListEntry<Connection> | undefined): void {
    if (entry === undefined) return;
    this.#forget(entry);
    disconnect(entry.value.socket);
  }

  #forget(entry: ListEntry<Connection>): void {
    if (entry.list === undefined) return;
    entry.remove();
    if (entry.value.isAboveLimit) this.#aboveLimit -= 1;
  }
}

/** Moves a connection to the end of a state. */
function enter(entry: ListEntry<Connection>, state: LinkedList<Connection>): void {
  entry.value.since = performance.now();
  state.append(entry);
}
