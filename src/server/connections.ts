import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { onResponseClosed, openResponses } from './response-closed.ts';

/** Connections beyond the limit that are let in, so that each is told why it is refused. */
const RESERVED_CONNECTIONS = 100;

/** For so long a connection may send nothing, or only a part of a request, before it gives way to a new one. */
const GRACE_MS = 1000;

/** How long the first request of a new connection may be on its way, and how often it is looked for. */
const FIRST_REQUEST_MS = 500;
const LOOK_MS = 10;

/** Connections, each with the time at which it got into this state; the one that has been in it longest comes first. */
type Since = Map<Socket, number>;

/**
 * The connections of clients. When there are as many as may be, a new one takes the place of one that does nothing; so
 * whoever only holds connections open keeps nobody out.
 */
export class Connections {
  readonly #max: number;
  /** Connections that have sent no whole request headers yet. */
  readonly #silent: Since = new Map();
  /** Connections between two requests. */
  readonly #idle: Since = new Map();
  /** Connections with a request that is not answered yet. */
  readonly #busy: Since = new Map();
  readonly #surplus = new Set<Socket>();

  /** @param max how many there may be */
  constructor(max: number) {
    this.#max = max;
  }

  /** Lets a connection in, in the place of another one if need be. */
  add(socket: Socket): void {
    const now = performance.now();
    if (this.#size >= this.#max) this.#evict(this.#dispensable(now));
    if (this.#size >= this.#max) {
      if (this.#surplus.size >= RESERVED_CONNECTIONS) {
        const [oldest = socket] = this.#silent.keys();
        this.#evict(oldest);
        if (oldest === socket) return;
      }
      this.#surplus.add(socket);
    }
    this.#silent.set(socket, now);
    socket.once('close', () => this.#forget(socket));
  }

  /** A request has begun, and this is its response. */
  begin(response: ServerResponse): void {
    const { socket } = response.req;
    if (!this.#busy.has(socket)) {
      this.#silent.delete(socket);
      this.#idle.delete(socket);
      this.#busy.set(socket, performance.now());
    }
    onResponseClosed(response, () => {
      if (openResponses(socket).size === 0 && this.#busy.delete(socket)) this.#idle.set(socket, performance.now());
    });
  }

  /** The connections with a request that is not answered yet. */
  busy(): Iterable<Socket> {
    return this.#busy.keys();
  }

  /** Waits until no connection is so new that its first request may be on its way. */
  async haveBegun(): Promise<void> {
    for (;;) {
      const newest = [...this.#silent.values()].at(-1);
      if (newest === undefined || performance.now() - newest >= FIRST_REQUEST_MS) return;
      await setTimeout(LOOK_MS);
    }
  }

  /** Whether a connection is one of those beyond the limit. */
  isSurplus(socket: Socket): boolean {
    return this.#surplus.size > 0 && this.#surplus.has(socket);
  }

  get #size(): number {
    return this.#silent.size + this.#idle.size + this.#busy.size;
  }

  /**
   * The connection that is missed least: one that was opened and not used; one between two requests, which a client
   * expects to be closed some time; one whose request does not come to its end.
   */
  #dispensable(now: number): Socket | undefined {
    const [silent] = this.#silent;
    if (silent !== undefined && now - silent[1] >= GRACE_MS) return silent[0];
    const [idle] = this.#idle.keys();
    if (idle !== undefined) return idle;
    for (const [socket, since] of this.#busy) {
      if (now - since < GRACE_MS) return undefined;
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
    this.#silent.delete(socket);
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#surplus.delete(socket);
  }
}
