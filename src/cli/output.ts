import { once } from 'node:events';
import { harmless } from './harmless.ts';

/**
 * Ends the command, quietly and as a success, when the reader of standard output has gone (`| head`): it had enough.
 * What can still be said on standard error is not worth a failure either.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    say(`Standard output cannot be written (${error.code}).`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}

/**
 * Writes data to standard output, no faster than it is read.
 *
 * @param signal breaks it off, also where nobody reads
 */
export async function print(chunk: string | Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain', { signal });
}

/** Says a sentence on standard error. */
export function say(sentence: string): void {
  process.stderr.write(`dataset-subgraph: ${harmless(sentence)}\n`);
}
