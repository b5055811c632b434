/** The code of an error of Node.js, undici or a connection, such as `ECONNREFUSED`. Undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
