import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openResponses } from './response-closed.ts';

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
