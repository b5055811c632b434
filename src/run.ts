import { ConfigError } from './config.ts';
import type { Subgraph } from './server/app.ts';

/** A failure that is the user's to mend: said in one sentence, without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Runs a program: a failure ends it with exit code 1 and one sentence where the user can mend it. */
export async function run(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    process.stderr.write(`${sentence(error)}\n`);
    process.exitCode = 1;
  }
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** npm passes on to the program a Ctrl-C that the terminal has sent to it already: so soon it is the same one. */
const SAME_SIGNAL_MS = 500;

/** Stops a subgraph, and what it needs, on SIGTERM or SIGINT; a second signal ends the process at once. */
export function stopOnSignal(subgraph: Subgraph, stopOthers: () => Promise<void> = async () => {}): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      for (const signal of stopSignals) process.removeListener(signal, stop);
    }, SAME_SIGNAL_MS);
    await subgraph.stop();
    await stopOthers();
    process.exit(0);
  };
  for (const signal of stopSignals) process.on(signal, stop);
}

function sentence(error: unknown): string {
  if (error instanceof ConfigError || error instanceof UsageError) return error.message;
  const { code, syscall, address, port } = error as Record<string, unknown>;
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use; set PORT to another one, or to 0 for any.`;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `The subgraph cannot listen where HOST and PORT say (${code}).`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : 'The program failed.';
}
