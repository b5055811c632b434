import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** The turn of the last pipelined request of each connection. */
const lastTurns = new WeakMap<Socket, Promise<void>>();

/**
 * Waits for the turn of a pipelined request. Pipelined requests of one connection start one in each turn of the event loop,
 * so that requests of other connections run in between.
 *
 * @returns undefined if the request may start now, because no other request of its connection is open
 */
export function pipelineTurn(response: ServerResponse): Promise<void> | undefined {
  // A response has no socket while an earlier one on its connection is incomplete.
  if (response.socket !== null) return undefined;
  const { socket } = response.req;
  const turn = (lastTurns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
  lastTurns.set(socket, turn);
  return turn;
}

let next: Promise<void> | undefined;

/**
 * Waits for the end of this turn of the event loop, so that responses that are ready in the same turn are sent together. The
 * network stack then wakes each reader once, because waking a reader is the expensive part. This gives a fifth more small
 * responses a second.
 */
export function nextImmediate(): Promise<void> {
  next ??= setImmediate().then(() => {
    next = undefined;
  });
  return next;
}
