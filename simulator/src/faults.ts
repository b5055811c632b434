import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Body, type SimulatedResponse, statusResponse } from './response.ts';

/** How a response differs from the specified one. Absent members stay as specified. */
export interface Fault {
  /** A status of 400 or more also sets the headers and the body of that error (§7), unless they are given. */
  status?: number;
  /** Each replaces the specified header of that name; an empty list removes it. */
  headers?: Record<string, string | string[]>;
  /**
   * An iterable is sent chunk by chunk, as fast as the client reads, until the client disconnects. The headers are sent
   * before the first chunk is pulled. An iterable that throws destroys the connection.
   */
  body?: string | Body;
  /**
   * Sends the headers and that many bytes of the body, then destroys the socket. The content-length is that of the whole
   * body. An iterable has none: it is sent chunked, without the last chunk.
   */
  cutAfterBytes?: number;
  /** Resets the TCP connection without a response. */
  reset?: boolean;
  /** Never responds. */
  hang?: boolean;
}

/** Sends the specified response with a fault. */
export async function sendResponse(
  socket: Socket,
  response: ServerResponse,
  specified: SimulatedResponse,
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
    // Not destroy(), which would drop unsent data.
    socket.destroySoon();
  } else if (body instanceof Uint8Array) {
    if (!response.hasHeader('content-length')) {
      // Otherwise end() would add the content-length that the fault removed.
      response.flushHeaders();
    }
    response.end(body);
  } else {
    response.flushHeaders();
    await pump(body, response, true);
  }
}

function bodyOf({ status, body }: Fault, base: SimulatedResponse): Body {
  if (body === undefined) {
    return isBodiless(status) ? new Uint8Array() : base.body;
  }
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function headersOf(fault: Fault, base: SimulatedResponse, body: Body): SimulatedResponse['headers'] {
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

/** These statuses have no body. With a content-length some clients would wait for one. */
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
    // The client disconnected, or the iterable threw. Either way the connection is closed, and the outcome is `aborted`.
  }
}
