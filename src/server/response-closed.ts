import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = () => void;

/** Who waits for the end of a response that is not closed yet. */
const listeners = new WeakMap<ServerResponse, Listener[]>();

/** The responses of a connection that are watched and not closed yet. */
const openOn = new WeakMap<Socket, Set<ServerResponse>>();

const none: ReadonlySet<ServerResponse> = new Set();

/**
 * Calls a listener exactly once, as soon as a response is over: because all of it was sent, or because its connection has
 * closed; at once if it is over already. A response that waits behind another one on a pipelined connection has no
 * socket, and on Node.js 22 it never emits `close` when the connection dies. So this listens on the connection, with one
 * listener for all of its responses.
 */
export function onResponseClosed(response: ServerResponse, listener: Listener): void {
  const waiting = listeners.get(response);
  if (waiting !== undefined) {
    waiting.push(listener);
    return;
  }
  const { socket } = response.req;
  if (response.closed || socket.closed) {
    listener();
    return;
  }
  listeners.set(response, [listener]);
  watchedOn(socket).add(response);
  response.once('close', () => close(response, socket));
}

/** The responses of a connection that somebody watches, and that are not over. */
export function openResponses(socket: Socket): ReadonlySet<ServerResponse> {
  return openOn.get(socket) ?? none;
}

/** Private. */
function watchedOn(socket: Socket): Set<ServerResponse> {
  const known = openOn.get(socket);
  if (known !== undefined) return known;
  const responses = new Set<ServerResponse>();
  openOn.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) close(response, socket);
  });
  return responses;
}

function close(response: ServerResponse, socket: Socket): void {
  const waiting = listeners.get(response);
  if (waiting === undefined) return;
  listeners.delete(response);
  openOn.get(socket)?.delete(response);
  for (const listener of waiting) listener();
}
