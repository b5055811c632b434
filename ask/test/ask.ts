import { type ProgramHost, startHost } from '../../test/programs/program-host.ts';
import { type Ending, PROJECT, type Program, startAtTerminal, startProgram } from '../../test/support/process.ts';

/** What an `ask` is run with. */
export interface AskSetup {
  /** The token; null for none. Default: that of the demo. */
  token?: string | null;
  env?: Record<string, string>;
  cwd?: string;
}

/** The subgraph of a test bed. */
type Served = { readonly subgraph: { readonly url: string } };

let host: ProgramHost | undefined;

/** Runs `dataset-subgraph` in a process that all tests share. */
export async function runCommand(
  args: readonly string[],
  { env = {}, cwd = PROJECT }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ending> {
  host ??= startHost();
  const { code, stdout, stderr } = await host.run({ entry: 'command', args, env, cwd });
  return { code: Number(code), signal: null, stdout, stderr };
}

/** Runs `dataset-subgraph ask` in that process, against a subgraph or a URL. */
export function ask(served: Served | string, args: readonly string[], setup: AskSetup = {}): Promise<Ending> {
  return runCommand(['ask', ...args], { ...setup, env: environment(served, setup) });
}

/** Starts it as a process of its own, in a pipe. */
export function startAsk(served: Served | string, args: readonly string[], setup: AskSetup = {}): Program {
  return startProgram(process.execPath, [`${PROJECT}ask/cli.ts`, 'ask', ...args], {
    env: environment(served, setup),
    ...(setup.cwd !== undefined && { cwd: setup.cwd }),
  });
}

/** A terminal of a size; what is written to it goes to the program's standard output. */
export interface Terminal extends AskSetup {
  rows?: number;
  columns?: number;
  /** What the shell is to do with the output, such as `2>file`. */
  redirection?: string;
}

/** Runs it at a terminal of its own. */
export function askAtTerminal(served: Served | string, args: readonly string[], terminal: Terminal = {}): Program {
  const { rows = 24, columns = 80, redirection = '', cwd, env } = terminal;
  const words = [process.execPath, `${PROJECT}ask/cli.ts`, 'ask', ...args].map(quoted).join(' ');
  const command = `stty rows ${rows} cols ${columns}; exec ${words} ${redirection}`;
  return startAtTerminal(command, {
    env: environment(served, { ...terminal, env: { TERM: 'xterm', ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
}

function environment(served: Served | string, { token = 'demo-token', env }: AskSetup): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    DATASET_SUBGRAPH_URL: typeof served === 'string' ? served : served.subgraph.url,
    ...(token !== null && { DATASET_TOKEN: token }),
    ...env,
  };
}

/** A word for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
