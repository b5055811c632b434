import { post } from '../../post.ts';
import type { OperationRequest } from './protocol.ts';

/** A response, read whole. */
export interface ReadResponse {
  readonly status: number;
  /** The bytes as received, after content codings. */
  readonly body: Blob;
  readonly text: string;
  /** From the request to the last byte. */
  readonly milliseconds: number;
}

/** Asks for the REST calls of the operation, in `extensions.restCalls` of its response. */
const LISTS_CALLS = { 'rest-calls': 'include' };

/**
 * Sends an operation and reads its response as a stream.
 *
 * @param onProgress is called with the number of bytes so far
 * @throws TypeError when the server cannot be reached, or the connection breaks
 */
export async function readResponse(
  request: OperationRequest,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<ReadResponse> {
  const began = performance.now();
  const response = await post(request, request.body, signal, LISTS_CALLS);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const texts: string[] = [];
  const decoder = new TextDecoder();
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    chunks.push(read.value);
    texts.push(decoder.decode(read.value, { stream: true }));
    bytes += read.value.length;
    onProgress(bytes);
  }
  texts.push(decoder.decode());
  return {
    status: response.status,
    // A Blob keeps the bytes outside of the memory for JavaScript.
    body: new Blob(chunks, { type: 'application/json' }),
    text: texts.join(''),
    milliseconds: performance.now() - began,
  };
}
