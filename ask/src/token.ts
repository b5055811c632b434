import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isToken, MAX_TOKEN_LENGTH } from '../../src/core/bearer-token.ts';
import { exitCode, Failure } from './failure.ts';

/**
 * Reads the token from a file, or from standard input for the path `-`. It removes the line end.
 *
 * @param signal aborts reading standard input
 * @throws Failure when there is no valid token; its message never contains the content
 */
export async function readToken(path: string, signal: AbortSignal): Promise<string> {
  const reading = path === '-' ? text(addAbortSignal(signal, process.stdin)) : readFile(path, 'utf8');
  const content = await reading.catch((error) => {
    throw new Failure(exitCode.usage, `The token file ${path} cannot be read (${error.code}).`);
  });
  const token = content.replace(/\r?\n$/, '');
  if (!isToken(token)) {
    const where = path === '-' ? 'Standard input' : `The token file ${path}`;
    throw new Failure(
      exitCode.usage,
      `${where} must contain only a token of 1 to ${MAX_TOKEN_LENGTH} visible ASCII characters.`,
    );
  }
  return token;
}
