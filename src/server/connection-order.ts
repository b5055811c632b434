import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The last turn that was given to a request of a connection. */
const lastTurns = new WeakMap<Socket, Promise<void>>();

/**
 * Waits until it is the turn of a request that came while another one on its connection was not answered yet. Requests of
 * one connection so begin one in each turn of the event loop, however many arrive at once, and those of others in between.
 *
 * @returns undefined for a request that came alone, whose turn it is
 */
export function ownTurn(response: ServerResponse): Promise<void> | undefined {
  // It gets a socket only when those before it are answered.
  if (response.socket !== null) return undefined;
  const { socket } = response.req;
  const turn = (lastTurns.get(socket) ?? Promise.resolve()).then(() => nextTurn());
  lastTurns.set(socket, turn);
  return turn;
}
