import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where GraphiQL's page is. */
export type PageState =
  /** In this directory. */
  | { readonly kind: 'ready'; readonly directory: string }
  /** Not there yet; so many modules have been read. */
  | { readonly kind: 'preparing'; readonly modules: number }
  /** It cannot be made; the reason is a sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

/** GraphiQL's page, bundled or about to be. */
export interface PageBundle {
  state(): PageState;
  /** Ends its preparation, if that still runs, and leaves nothing of it. */
  stop(): Promise<void>;
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** Where `npm run build` puts the page, beside this module's own compiled form. */
const built = join(here, 'built-page');

/** Where a checkout keeps the page; in no commit. */
const cache = join(here, '../../.cache/explorer');

/**
 * Finds the page, as the package brings it or as an earlier start has left it; otherwise starts to make it, in a process of
 * its own, for a few seconds.
 *
 * @param report is told in a line when that begins, and how it ends
 */
export function preparePage(report: (line: string) => void): PageBundle {
  if (existsSync(built)) return settled({ kind: 'ready', directory: built });
  try {
    const directory = join(cache, digestOfSources());
    if (existsSync(directory)) return settled({ kind: 'ready', directory });
    mkdirSync(cache, { recursive: true });
    // Two programs may prepare the page at the same time; it appears under its name only when it is whole.
    return startBuild(mkdtempSync(`${directory}-`), directory, report);
  } catch (error) {
    const reason = `The page can neither be found nor be made (${(error as NodeJS.ErrnoException).code}).`;
    report(`GraphiQL cannot be shown: ${reason}`);
    return settled({ kind: 'failed', reason });
  }
}

function settled(state: PageState): PageBundle {
  return { state: () => state, stop: async () => {} };
}

/** How much of what the bundler says is kept. */
const MAX_COMPLAINT_LENGTH = 2000;

function startBuild(unfinished: string, directory: string, report: (line: string) => void): PageBundle {
  let state: PageState = { kind: 'preparing', modules: 0 };
  let complaint = '';
  const began = performance.now();
  // An empty environment: what is read there are secrets, and nothing that is needed.
  const child = fork(join(here, 'build.ts'), [unfinished], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT_LENGTH);
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
      putInPlace(unfinished, directory);
      state = { kind: 'ready', directory };
      report(`GraphiQL is ready, after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
      return;
    }
    rmSync(unfinished, { recursive: true, force: true });
    state = { kind: 'failed', reason: 'The page could not be bundled; "npm ci" installs what that needs.' };
    if (!child.killed) report(`GraphiQL cannot be shown: ${state.reason}\n${complaint}`);
  });
  return {
    state: () => state,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function putInPlace(unfinished: string, directory: string): void {
  // Another program may have been faster; what it has made is the same.
  if (existsSync(directory)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, directory);
  // Pages of other versions are of no more use. One that is being made has a longer name.
  for (const name of readdirSync(cache)) {
    if (name !== basename(directory) && /^[0-9a-f]+$/.test(name))
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}

/** Of everything that the page is made of: its sources, the program that bundles it, and the versions of all packages. */
function digestOfSources(): string {
  const digest = createHash('sha256');
  const sources = ['build.ts', ...globSync(['page/**/*.*', '../csv/*.ts'], { cwd: here }).toSorted()];
  for (const file of [...sources, '../../package-lock.json']) {
    digest.update(`${basename(file)}\n`).update(readFileSync(join(here, file)));
  }
  return digest.digest('hex').slice(0, 16);
}
