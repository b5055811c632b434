import type { RestFailure } from './errors.ts';

/** What an error of undici or of the connection means, before or after an answer's head. */
export function connectionFailure(error: Error & { code?: unknown }, hasHeaders: boolean): RestFailure {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return 'timeout';
  // The parser's complaint about bytes that are no HTTP, which has no code in undici 8; about an end in the middle of a
  // body it means a lost connection.
  if (error.name === 'HTTPParserError' && !error.message.includes('EOF')) return 'invalidResponse';
  // Of a head: it says two things about the body's length. Of a body: the connection was lost.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHeaders) return 'invalidResponse';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'invalidResponse';
  return 'unavailable';
}
