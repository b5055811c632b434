import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
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

/** The file of a page in the cache with the digests of all files on which it depends, by their paths from the root. */
const SOURCES = 'sources.json';

/**
 * Finds the page in the package or in the cache. Otherwise it starts to bundle it, in a separate process for a few seconds.
 *
 * @param report is called with a line when the bundling starts and when it ends
 */
export function preparePage(report: (line: string) => void): PageBundle {
  if (existsSync(built)) return settled({ kind: 'ready', directory: built });
  try {
    const directory = cachedPages().find(isCurrent);
    if (directory !== undefined) return settled({ kind: 'ready', directory });
    mkdirSync(cache, { recursive: true });
    // Two processes may bundle the page at the same time. It gets its final name only when it is complete.
    return startBuild(mkdtempSync(join(cache, 'new-')), report);
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

function startBuild(unfinished: string, report: (line: string) => void): PageBundle {
  let state: PageState = { kind: 'preparing', modules: 0 };
  let sources: Record<string, string> | undefined;
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
  child.on('message', (message: { modules: number } | { sources: Record<string, string> }) => {
    if ('modules' in message) state = { kind: 'preparing', modules: message.modules };
    else sources = message.sources;
  });
  report('Preparing GraphiQL, once for this version ...');
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  }).then(() => {
    if (child.exitCode === 0 && sources !== undefined) {
      state = { kind: 'ready', directory: publish(unfinished, sources) };
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

/** Moves a complete page to its final directory, which is named after the files on which it depends. */
function publish(unfinished: string, sources: Record<string, string>): string {
  const text = JSON.stringify(Object.fromEntries(Object.entries(sources).toSorted()));
  writeFileSync(join(unfinished, SOURCES), text);
  const directory = join(cache, hash('sha256', text).slice(0, 16));
  // Another process may have finished first, with the same page.
  if (existsSync(directory)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, directory);
  // Remove the pages of other versions.
  for (const other of cachedPages()) {
    if (other !== directory) rmSync(other, { recursive: true, force: true });
  }
  return directory;
}

/** The directories of the complete pages in the cache. */
function cachedPages(): string[] {
  const names = existsSync(cache) ? readdirSync(cache) : [];
  return names.filter((name) => /^[0-9a-f]+$/.test(name)).map((name) => join(cache, name));
}

/** Whether all files on which a page depends are as they were. */
function isCurrent(directory: string): boolean {
  try {
    const sources: Record<string, string> = JSON.parse(readFileSync(join(directory, SOURCES), 'utf8'));
    return Object.entries(sources).every(([file, digest]) => hash('sha256', readFileSync(join(root, file))) === digest);
  } catch {
    // A file is not there any more.
    return false;
  }
}
