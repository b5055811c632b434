import { ConfigError } from './core/error-codes.ts';

/** A failure that the user can fix. It is reported as one line without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/**
 * Runs a program. A failure ends the process with exit code 1, and with a one-line message if the user can fix it. It does
 * so whatever the program has left open, such as a listener, a timer or a child process.
 */
export async function run(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${messageOf(error)}\n`, () => process.exit());
  }
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * npm forwards a Ctrl-C that the terminal has sent to the program too. Within this time a second signal counts as the same one; a
 * third does not.
 */
const SAME_SIGNAL_MS = 2000;

/** Stops a server on SIGTERM or SIGINT. A further signal ends the process at once. */
export function stopOnSignal(
  server: { stop(): Promise<void> },
  stopOthers: () => Promise<void> = async () => {},
): void {
  let stopping = false;
  const expectNoMore = () => {
    for (const signal of stopSignals) process.removeListener(signal, stop);
  };
  const stop = async () => {
    if (stopping) return expectNoMore();
    stopping = true;
    setTimeout(expectNoMore, SAME_SIGNAL_MS);
    await server.stop();
    await stopOthers();
    process.exit(0);
  };
  for (const signal of stopSignals) process.on(signal, stop);
}

function messageOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof UsageError) return error.message;
  const { code, syscall, address, port } = error as Record<string, unknown>;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use. Set PORT to another port, or to 0 for any free port.`;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `The subgraph cannot listen on HOST and PORT (${code}).`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : 'The program failed.';
}
