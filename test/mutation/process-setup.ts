/*
 * Runs before each test file, in the process that runs it. Gives Node.js the text of a mutant instead of the file's; or writes
 * which parts of the sources the test file executes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { executedParts, type Parts } from './executed-parts.ts';
import { sourceFolders } from './source-folders.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file whose text is replaced, by its URL. */
    mutant: { readonly url: string; readonly text: string } | null;
    /** The folder for what test files execute; null if nothing is written. */
    coverageFolder: string | null;
  }
}

/** What the process keeps from one test file to the next. */
const kept = globalThis as { mutationSession?: Session | 'not needed' };
const root = process.cwd();
const folder = inject('coverageFolder');

if (kept.mutationSession === undefined) {
  const mutant = inject('mutant');
  if (mutant !== null) {
    // A failure is enough: no smaller one is looked for.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
    registerHooks({
      load: (url, context, nextLoad) => {
        const loaded = nextLoad(url, context);
        return url === mutant.url ? { ...loaded, source: mutant.text } : loaded;
      },
    });
  }
  kept.mutationSession = folder === null ? 'not needed' : new Session();
  if (kept.mutationSession instanceof Session) {
    kept.mutationSession.connect();
    kept.mutationSession.post('Profiler.enable');
    kept.mutationSession.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }
}

const session = kept.mutationSession;
if (session instanceof Session && folder !== null) {
  let loading: Record<string, Parts> = {};
  let startedAt = 0n;
  beforeAll(() => {
    loading = take(session);
    startedAt = process.hrtime.bigint();
  });
  afterAll(() => {
    const milliseconds = Number((process.hrtime.bigint() - startedAt) / 1_000_000n);
    const test = relative(root, expect.getState().testPath ?? '');
    mkdirSync(folder, { recursive: true });
    const parts = { milliseconds, loading, tests: take(session) };
    writeFileSync(`${folder}/${test.replaceAll('/', '+')}.json`, JSON.stringify(parts));
  });
}

/** What ran since the last call, of each source. The counters of V8 start again. */
function take(from: Session): Record<string, Parts> {
  const files: Record<string, Parts> = {};
  // Is called before `post` returns.
  from.post('Profiler.takePreciseCoverage', (_error, { result } = { result: [] }) => {
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      const isSource = sourceFolders.some((name) => file.startsWith(`${name}/`));
      const parts = isSource ? executedParts(functions) : [];
      if (parts.length > 0) files[file] = parts;
    }
  });
  return files;
}
