import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Answer, statusResponse } from './response.ts';

/** How an answer departs from the specified one; what is left out stays as specified. */
export interface Fault {
  /** From 400 on, the rest of the answer becomes the error of that status (§7), unless given too. */
  status?: number;
  /** Each replaces the specified header of that name; an empty list drops it. */
  headers?: Record<string, string | string[]>;
  /**
   * An iterable is sent chunk by chunk, no faster than the caller reads, until the caller leaves; the head is sent
   * before the first chunk is asked for, and an iterable that throws breaks the connection.
   */
  body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
  /**
   * Sends the head and that many bytes of the body, then destroys the socket. The head announces the length of the
   * whole body (an iterable has none: it is sent chunked and lacks its last chunk).
   */
  cutAfterBytes?: number;
  /** Destroys the socket without an answer, by a TCP reset. */
  reset?: boolean;
  /** Never answers. */
  hang?: boolean;
}

type Body = Uint8Array | AsyncIterable<Uint8Array | string>;

/** Sends the specified answer, spoilt by a fault. */
export async function sendResponse(
  socket: Socket,
  response: ServerResponse,
  specified: Answer,
  fault: Fault = {},
): Promise<void> {
  if (fault.hang) {
    return;
  }
  if (fault.reset) {
    socket.resetAndDestroy();
    return;
  }
  const status = fault.status ?? specified.status;
  const base = fault.status !== undefined && status >= 400 ? statusResponse(status) : specified;
  const body = bodyOf(fault, base);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headersOf(fault, base, body))) {
    if (!Array.isArray(value) || value.length > 0) {
      response.setHeader(name, value);
    }
  }
  if (fault.cutAfterBytes !== undefined) {
    await sendPart(response, body, fault.cutAfterBytes);
    // Not destroy(), which would drop what is still on its way out.
    socket.destroySoon();
  } else if (body instanceof Uint8Array) {
    if (!response.hasHeader('content-length')) {
      // Otherwise end() would add the content-length that the fault dropped.
      response.flushHeaders();
    }
    response.end(body);
  } else {
    response.flushHeaders();
    await pump(body, response, true);
  }
}

function bodyOf({ status, body }: Fault, base: Answer): Body {
  if (body === undefined) {
    return isBodiless(status) ? new Uint8Array() : base.body;
  }
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function headersOf(fault: Fault, base: Answer, body: Body): Answer['headers'] {
  const headers = { ...base.headers };
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  const framed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (body instanceof Uint8Array && !framed && !isBodiless(fault.status)) {
    headers['content-length'] = String(body.byteLength);
  }
  return headers;
}

/** These have no body, and a content-length would leave some callers waiting for one. */
function isBodiless(status: number | undefined): boolean {
  return status === 204 || status === 304;
}

async function sendPart(response: ServerResponse, body: Body, length: number): Promise<void> {
  response.flushHeaders();
  if (body instanceof Uint8Array) {
    response.write(body.subarray(0, length));
  } else {
    await pump(firstBytes(body, length), response, false);
  }
}

async function* firstBytes(chunks: AsyncIterable<Uint8Array | string>, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  if (left <= 0) {
    return;
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    yield bytes.subarray(0, left);
    left -= bytes.byteLength;
    if (left <= 0) {
      return;
    }
  }
}

async function pump(chunks: AsyncIterable<Uint8Array | string>, response: ServerResponse, end: boolean): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), response, { end });
  } catch {
    // The caller left, or the iterable threw: the connection is gone either way, and the outcome of the request says so.
  }
}
