import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/** What to run. */
export interface Run {
  /** The test files, in this order. */
  readonly tests: readonly string[];
  /** What process-setup.ts reads. */
  readonly env: Readonly<Record<string, string>>;
  /** Further arguments of Vitest. */
  readonly args?: readonly string[];
  /** After how long the run is ended. Default: never. */
  readonly milliseconds?: number;
}

/** What came of it. */
export interface Outcome {
  /** The test files that failed. */
  readonly failed: readonly string[];
  /** What failed first; undefined if nothing did. */
  readonly reason: string | undefined;
}

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages?: readonly string[] }[];
  }[];
}

const running = new Set<number>();
let runs = 0;

/** Runs test files by a Vitest of its own. Resolves to undefined if that takes too long. */
export async function runTests({ tests, env, args = [], milliseconds }: Run): Promise<Outcome | undefined> {
  runs += 1;
  const file = `.cache/mutation/report-${process.pid}-${runs}.json`;
  mkdirSync(dirname(file), { recursive: true });
  const config = ['--config', 'test/mutation/vitest.config.ts', '--reporter', 'json', '--outputFile', file];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...config, ...args, ...tests], {
    // With its own processes it is a group, which ends as one.
    detached: true,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const { pid = 0 } = child;
  running.add(pid);
  let isLate = false;
  const late = () => {
    isLate = true;
    kill(pid);
  };
  // No timer takes longer.
  const timer = setTimeout(late, Math.min(milliseconds ?? Number.POSITIVE_INFINITY, 2 ** 31 - 1));
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  running.delete(pid);
  const report: Report | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  rmSync(file, { force: true });
  return isLate ? undefined : outcomeOf(code, report);
}

/** Ends all runs. */
export function endRuns(): void {
  for (const pid of running) kill(pid);
}

function outcomeOf(code: number | null, report: Report | undefined): Outcome {
  const failed = report?.testResults.filter(({ status }) => status === 'failed') ?? [];
  const reasons = failed.flatMap(({ message, assertionResults }) => [
    ...assertionResults.flatMap(({ fullName, failureMessages: [first] = [] }) =>
      first === undefined ? [] : [`${fullName}: ${first}`],
    ),
    message,
  ]);
  return {
    failed: failed.map(({ name }) => relative(process.cwd(), name)),
    reason: reasons.find((reason) => reason !== '') ?? (code === 0 ? undefined : `Vitest ended with ${code}`),
  };
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
