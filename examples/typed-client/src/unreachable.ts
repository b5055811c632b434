import { url } from './endpoint.ts';

/**
 * Ends the program with one sentence where no server answers at the endpoint.
 *
 * @throws the error where it means something else
 */
export function endIfUnreachable(error: unknown): never {
  // The built-in fetch throws a TypeError, whose cause tells why there was no response.
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  if (code === undefined) throw error;
  console.error(
    `No server answers at ${url} (${code}). Start the demo (npm run demo in the project's folder), or set GRAPHQL_URL.`,
  );
  process.exit(1);
}
