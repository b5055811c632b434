import { once } from 'node:events';
import { sanitizeForTerminal } from './core/sanitize-for-terminal.ts';

/**
 * Ends the command silently with exit code 0 when the reader of standard output closes it (`| head`). Ignores errors of
 * standard error.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    say(`Standard output cannot be written (${error.code}).`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}

/** Writes a text whole to standard output, such as the help or the schema. */
export function printText(text: string): void {
  endWithReader();
  process.stdout.write(text);
}

/**
 * Writes data to standard output, as fast as it is read.
 *
 * @param signal aborts the wait for the reader
 */
export async function print(chunk: string | Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain', { signal });
}

/** Writes a message to standard error. */
export function say(message: string): void {
  process.stderr.write(`dataset-subgraph: ${sanitizeForTerminal(message)}\n`);
}
