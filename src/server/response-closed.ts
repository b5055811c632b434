import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = () => void;

/** The open responses of a connection, each with its listeners. */
type OpenResponses = Map<ServerResponse, Listener[]>;

const openOn = new WeakMap<Socket, OpenResponses>();

const none: ReadonlySet<ServerResponse> = new Set();

/**
 * Calls a listener exactly once, when a response is sent completely or its connection is closed; at once if that has
 * happened. A pipelined response that waits behind another one has no socket, and on Node.js 22 it never emits `close` when
 * the connection breaks. So this listens on the connection, with one listener for all of its responses.
 */
export function onResponseClosed(response: ServerResponse, listener: Listener): void {
  const { socket } = response.req;
  const open = openOn.get(socket) ?? watch(socket);
  const listeners = open.get(response);
  if (listeners !== undefined) {
    listeners.push(listener);
  } else if (response.closed || socket.closed) {
    listener();
  } else {
    open.set(response, [listener]);
    response.once('close', () => close(response, open));
  }
}

/** The open responses of a connection that have listeners. */
export function openResponses(socket: Socket): Pick<ReadonlySet<ServerResponse>, 'size' | 'keys'> {
  return openOn.get(socket) ?? none;
}

function watch(socket: Socket): OpenResponses {
  const open: OpenResponses = new Map();
  openOn.set(socket, open);
  socket.once('close', () => {
    for (const response of open.keys()) close(response, open);
  });
  return open;
}

function close(response: ServerResponse, open: OpenResponses): void {
  const listeners = open.get(response);
  if (listeners === undefined) return;
  open.delete(response);
  for (const listener of listeners) listener();
}
