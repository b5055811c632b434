import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = () => void;

/** The responses of a connection that are watched and not over, each with who waits for its end. */
type OpenResponses = Map<ServerResponse, Listener[]>;

const openOn = new WeakMap<Socket, OpenResponses>();

const none: ReadonlySet<ServerResponse> = new Set();

/**
 * Calls a listener exactly once, as soon as a response is over: because all of it was sent, or because its connection has
 * closed; at once if it is over already. A response that waits behind another one on a pipelined connection has no
 * socket, and on Node.js 22 it never emits `close` when the connection dies. So this listens on the connection, with one
 * listener for all of its responses.
 */
export function onResponseClosed(response: ServerResponse, listener: Listener): void {
  const { socket } = response.req;
  const open = openOn.get(socket) ?? watch(socket);
  const waiting = open.get(response);
  if (waiting !== undefined) {
    waiting.push(listener);
  } else if (response.closed || socket.closed) {
    listener();
  } else {
    open.set(response, [listener]);
    response.once('close', () => close(response, open));
  }
}

/** The responses of a connection that somebody watches, and that are not over. */
export function openResponses(socket: Socket): Pick<ReadonlySet<ServerResponse>, 'size' | 'keys'> {
  return openOn.get(socket) ?? none;
}

/** Private. */
function watch(socket: Socket): OpenResponses {
  const open: OpenResponses = new Map();
  openOn.set(socket, open);
  socket.once('close', () => {
    for (const response of open.keys()) close(response, open);
  });
  return open;
}

function close(response: ServerResponse, open: OpenResponses): void {
  const waiting = open.get(response);
  if (waiting === undefined) return;
  open.delete(response);
  for (const listener of waiting) listener();
}
