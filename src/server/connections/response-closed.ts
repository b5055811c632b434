import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LinkedList, type ListEntry } from '../../core/linked-list.ts';

type Listener = () => void;

/** A response that is not over. */
interface OpenResponse {
  readonly response: ServerResponse;
  readonly listeners: Listener[];
}

const openOn = new WeakMap<Socket, LinkedList<OpenResponse>>();

/**
 * Calls a listener exactly once, when a response is sent completely or its connection is closed; at once if that has
 * happened. A pipelined response that waits behind another one has no socket, and on Node.js 22 it never emits `close` when
 * the connection breaks. So this listens on the connection, with one listener for all of its responses.
 */
export function onResponseClosed(response: ServerResponse, listener: Listener): void {
  const { socket } = response.req;
  const open = openOn.get(socket) ?? watch(socket);
  const known = entryOf(response, open);
  if (known !== undefined) {
    known.value.listeners.push(listener);
  } else if (response.closed || socket.closed) {
    listener();
  } else {
    const entry = open.add({ response, listeners: [listener] });
    response.once('close', () => close(entry));
  }
}

/** The open responses of a connection that have listeners. */
export function openResponses(socket: Socket): readonly ServerResponse[] {
  return [...(openOn.get(socket) ?? [])].map(({ response }) => response);
}

/** Whether a connection has an open response with listeners. */
export function hasOpenResponse(socket: Socket): boolean {
  return (openOn.get(socket)?.size ?? 0) > 0;
}

function watch(socket: Socket): LinkedList<OpenResponse> {
  const open = new LinkedList<OpenResponse>();
  openOn.set(socket, open);
  socket.once('close', () => {
    while (open.first !== undefined) close(open.first);
  });
  return open;
}

/** The newest first: it is mostly the one that is asked for. */
function entryOf(response: ServerResponse, open: LinkedList<OpenResponse>): ListEntry<OpenResponse> | undefined {
  let entry = open.last;
  while (entry !== undefined && entry.value.response !== response) entry = entry.previous;
  return entry;
}

function close(entry: ListEntry<OpenResponse>): void {
  if (entry.list === undefined) return;
  entry.remove();
  for (const listener of entry.value.listeners) listener();
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
