import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FILE_ENDED, type Outcome, type Run } from './run-types.ts';

/** A process that runs tests. It starts with its first run, and again after a run that does not end. */
export class Runner {
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;

  /** @param env what is added to the environment of its processes */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Runs tests. Resolves to undefined if none of their files ends for so long. */
  async run(run: Run, milliseconds: number): Promise<Outcome | undefined> {
    this.#process ??= await started(this.#env);
    const child = this.#process;
    const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
    // No timer takes longer.
    const timer = setTimeout(() => resolve(undefined), Math.min(milliseconds, 2 ** 31 - 1));
    const onMessage = (message: Outcome | typeof FILE_ENDED) => {
      if (message === FILE_ENDED) timer.refresh();
      else resolve(message);
    };
    const onExit = () => resolve(undefined);
    child.on('message', onMessage).once('exit', onExit);
    child.send(run);
    const outcome = await promise;
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
    if (outcome === undefined) this.kill();
    return outcome;
  }

  /** Ends it, and all processes that it started. */
  kill(): void {
    const pid = this.#process?.pid;
    this.#process = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** A process that is ready to run tests. With its own processes it is a group, which ends as one. */
async function started(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('runner.ts', import.meta.url)), {
    detached: true,
    env: { ...process.env, ...env },
  });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('Vitest did not start.')));
  });
  return child;
}
