import type { RestFailure } from './errors.ts';

/** Classifies an error of undici or of the connection, before or after the headers of the response. */
export function connectionFailure(error: Error & { code?: unknown }, hasHeaders: boolean): RestFailure {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return 'timeout';
  // Bytes that are not HTTP; the error has no code in undici 8. An unexpected EOF within a body is a lost connection.
  if (error.name === 'HTTPParserError' && !error.message.includes('EOF')) return 'invalidResponse';
  // In the headers: they state two different lengths. In the body: the connection was lost.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHeaders) return 'invalidResponse';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'invalidResponse';
  return 'unavailable';
}
