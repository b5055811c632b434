import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LinkedList, type ListEntry } from '../core/linked-list.ts';

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
