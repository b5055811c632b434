import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/core/package.ts';

/** The state of GraphiQL's page. */
export type PageState =
  /** It is in this directory. */
  | { readonly kind: 'ready'; readonly directory: string }
  /** It is being bundled; so many modules were read. */
  | { readonly kind: 'preparing'; readonly modules: number }
  /** It cannot be bundled. The reason is one sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

/** GraphiQL's page, bundled or being bundled. */
export interface PageBundle {
  state(): PageState;
  /** Stops the bundling, if it runs, and removes its files. */
  stop(): Promise<void>;
}

const here = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(packageRoot);

/** The page made by `npm run build`, beside the compiled form of this module. */
const built = join(here, 'built-page');

/** The page of a checkout; not committed. */
const cache = join(root, '.cache/explorer');

/**
 * Finds the page in the package or in the cache. Otherwise it starts to bundle it, in a separate process for a few seconds.
 *
 * @param report is called with a line when the bundling starts and when it ends
 */
export function preparePage(report: (line: string) => void): PageBundle {
  if (existsSync(built)) return settled({ kind: 'ready', directory: built });
  try {
    const directory = join(cache, digestOfSources());
    if (existsSync(directory)) return settled({ kind: 'ready', directory });
    mkdirSync(cache, { recursive: true });
    // Two processes may bundle the page at the same time. It gets its final name only when it is complete.
    return startBuild(mkdtempSync(`${directory}-`), directory, report);
  } catch (error) {
    const reason = `The directory of the page cannot be read or written (${(error as NodeJS.ErrnoException).code}).`;
    report(`GraphiQL cannot be shown: ${reason}`);
    return settled({ kind: 'failed', reason });
  }
}

function settled(state: PageState): PageBundle {
  return { state: () => state, stop: async () => {} };
}

/** The maximum number of characters kept of the bundler's error output. */
const MAX_ERROR_LENGTH = 2000;

function startBuild(unfinished: string, directory: string, report: (line: string) => void): PageBundle {
  let state: PageState = { kind: 'preparing', modules: 0 };
  let errorOutput = '';
  const began = performance.now();
  // An empty environment, because the bundler needs none of the settings and secrets.
  const child = fork(join(here, 'src/build.ts'), [unfinished], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-MAX_ERROR_LENGTH);
  });
  child.on('message', ({ modules }: { modules: number }) => {
    state = { kind: 'preparing', modules };
  });
  report('Preparing GraphiQL, once for this version ...');
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  }).then(() => {
    if (child.exitCode === 0) {
      publish(unfinished, directory);
      state = { kind: 'ready', directory };
      report(`GraphiQL is ready, after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
      return;
    }
    rmSync(unfinished, { recursive: true, force: true });
    state = { kind: 'failed', reason: 'The page could not be bundled; "npm ci" installs the bundler.' };
    if (!child.killed) report(`GraphiQL cannot be shown: ${state.reason}\n${errorOutput}`);
  });
  return {
    state: () => state,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function publish(unfinished: string, directory: string): void {
  // Another process may have finished first, with the same page.
  if (existsSync(directory)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, directory);
  // Remove the pages of other versions. A page that is being bundled has a longer name.
  for (const name of readdirSync(cache)) {
    if (name !== basename(directory) && /^[0-9a-f]+$/.test(name))
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}

/** A digest of the page's sources, of the program that bundles it, and of the versions of all packages. */
function digestOfSources(): string {
  const digest = createHash('sha256');
  const sources = globSync(['explorer/page/**/*.*', 'explorer/src/{build,examples,tokens}.ts', 'src/core/*.ts'], {
    cwd: root,
  });
  for (const file of [...sources.toSorted(), 'package-lock.json']) {
    digest.update(`${basename(file)}\n`).update(readFileSync(join(root, file)));
  }
  return digest.digest('hex').slice(0, 16);
}
