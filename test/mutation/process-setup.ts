/*
 * Runs before each test file, in the process that runs it. Gives Node.js the text of a mutant instead of the file's
 * (MUTANT_URL, MUTANT_FILE); or writes which parts of the sources the test file executes (COVERAGE=on).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { registerHooks } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { digestOf, executedFile, executedParts, isSource, type Parts } from './coverage.ts';

/** What the process keeps from one test file to the next. */
const kept = globalThis as { mutationSession?: Session; isMutated?: true };
const { MUTANT_URL, MUTANT_FILE = '', COVERAGE } = process.env;

if (MUTANT_URL !== undefined && !kept.isMutated) {
  kept.isMutated = true;
  // A failure is enough: no smaller one is looked for.
  fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url === MUTANT_URL ? { ...loaded, source: readFileSync(MUTANT_FILE, 'utf8') } : loaded;
    },
  });
}

if (COVERAGE === 'on') {
  if (kept.mutationSession === undefined) {
    kept.mutationSession = new Session();
    kept.mutationSession.connect();
    kept.mutationSession.post('Profiler.enable');
    kept.mutationSession.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }
  const session = kept.mutationSession;
  let loading: Record<string, Parts> = {};
  let startedAt = 0;
  beforeAll(() => {
    loading = take(session);
    startedAt = performance.now();
  });
  afterAll(() => {
    const milliseconds = Math.round(performance.now() - startedAt);
    const test = relative(process.cwd(), expect.getState().testPath ?? '');
    const tests = take(session);
    const files = [test, ...Object.keys({ ...loading, ...tests })];
    const digests = Object.fromEntries(files.map((file) => [file, digestOf(file)]));
    mkdirSync(dirname(executedFile(test)), { recursive: true });
    writeFileSync(executedFile(test), JSON.stringify({ digests, milliseconds, loading, tests }));
  });
}

/** What ran since the last call, of each source. The counters of V8 start again. */
function take(from: Session): Record<string, Parts> {
  const files: Record<string, Parts> = {};
  // Is called before `post` returns.
  from.post('Profiler.takePreciseCoverage', (_error, { result } = { result: [] }) => {
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : '';
      const parts = isSource(file) ? executedParts(functions) : [];
      if (parts.length > 0) files[file] = parts;
    }
  });
  return files;
}
