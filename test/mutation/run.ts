// `npm run mutate`: changes the sources by one small fault at a time, runs the tests that execute it, and lists the faults that no
// test catches. The working files stay as they are: the processes that run the tests get the text of each mutant.
//
//   npm run mutate -- --since main                     the lines that changed since a commit
//   npm run mutate -- src/loaders src/config.ts        files and folders; a file may have a line, and a column, as in what is listed
//   npm run mutate -- --sample 100 --seed 7            so many by lot
//
// --test FOLDER runs only the tests in a folder. --tests N runs at most so many test files for a mutant. --coverage runs all tests again
// to see what they execute. --all lists the mutants that were caught, too.

import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { engineTests, memoryTests, shared } from '../../vitest.config.ts';
import { Dice } from '../support/json-text.ts';
import { changedLines } from './changed-lines.ts';
import { Coverage, executedFile, isSource, sourceFolders } from './coverage.ts';
import { type Mutant, mutantsOf, mutated } from './mutants.ts';
import { endRuns, runTests } from './run-tests.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    test: { type: 'string', default: '' },
    tests: { type: 'string', default: 'Infinity' },
    coverage: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});

/** What a test file may take: a multiple of its time without a mutant, and the time of a start. */
const TIME_FACTOR = 2;
const START_MS = 15_000;
/** How many test files run first, one after the other. Most mutants are caught by them. */
const FIRST_TESTS = 6;
/** How many mutants run at a time, and how many processes run many tests. */
const [CONCURRENCY, WORKERS] = [2, 3];

/** Speeds up the start of processes. With it, V8 would not count all of the code. */
const COMPILED = { NODE_COMPILE_CACHE: '.cache/mutation/compiled' };

type Verdict = 'caught' | 'timed out' | 'survived' | 'not executed';
interface Case {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const listed = (...args: string[]) =>
  git('ls-files', ...args)
    .split('\n')
    .filter((line) => line !== '');
const startedAt = performance.now();

const sources = listed('--cached', '--others', '--exclude-standard', ...sourceFolders).filter(isSource);
const tests = globSync([...shared.include, ...memoryTests, ...engineTests]).filter((test) =>
  test.startsWith(options.test),
);
const changed = options.since === undefined ? undefined : changedSince(options.since);
const chosen = chosenCases();
if (chosen.length === 0) {
  console.log('Nothing to mutate.');
  process.exit();
}

const counts: Record<Verdict, number> = { caught: 0, 'timed out': 0, survived: 0, 'not executed': 0 };
/** How many mutants of a file a test file has caught: it may well catch the next. */
const catches = new Map<string, number>();
process.on('exit', endRuns);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => report(130));

const coverage = await Coverage.of(tests, options.coverage, seeWhatRuns);
const queue = [...chosen];
console.log(`${queue.length} mutants`);
await Promise.all(Array.from({ length: CONCURRENCY }, (_, worker) => work(worker)));
report(0);

/** Runs test files, which write what they execute. */
async function seeWhatRuns(stale: readonly string[]): Promise<void> {
  const outcome = await runTests({ tests: stale, env: { COVERAGE: 'on' }, args: ['--maxWorkers', `${WORKERS}`] });
  // Some measure, and fail where V8 counts. Others would catch everything.
  for (const test of outcome?.failed ?? []) {
    const again = await runTests({ tests: [test], env: {} });
    if (again?.failed.length === 0) continue;
    rmSync(executedFile(test), { force: true });
    console.log(`${test} is left out. It fails without a mutant: ${again?.reason}`);
  }
}

/** Takes one mutant after the other. */
async function work(worker: number): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const began = performance.now();
    const [verdict, reason] = await judge(next, `.cache/mutation/mutant-${process.pid}-${worker}.ts`);
    counts[verdict] += 1;
    const isMissed = verdict === 'survived' || verdict === 'not executed';
    if (!isMissed && !options.all) continue;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`${describe(next)}  ${verdict}, ${seconds} s${reason}`);
  }
}

/** @param text the file for the text of the mutant */
async function judge({ file, source, mutant }: Case, text: string): Promise<[Verdict, string]> {
  const caught = (test: string) => catches.get(`${file} ${test}`) ?? 0;
  const all = coverage.testsOf(file, mutant).toSorted((one, other) => caught(other) - caught(one));
  if (all.length === 0) return ['not executed', ''];
  const some = all.slice(0, Number(options.tests));
  writeFileSync(text, mutated(source, mutant));
  const env = { ...COMPILED, MUTANT_URL: pathToFileURL(file).href, MUTANT_FILE: text };
  for (const round of [some.slice(0, FIRST_TESTS), some.slice(FIRST_TESTS)]) {
    if (round.length === 0) continue;
    const times = round.map((test) => coverage.millisecondsOf(test));
    // One that waits for ever does not hold up the others.
    const testTimeout = TIME_FACTOR * Math.max(...times) + START_MS / 2;
    const workers = round.length > FIRST_TESTS ? WORKERS : 1;
    const milliseconds = TIME_FACTOR * times.reduce((sum, time) => sum + time, 0) + START_MS;
    const args = ['--bail', '1', '--testTimeout', `${testTimeout}`, '--maxWorkers', `${workers}`];
    const outcome = await runTests({ tests: round, env, args, milliseconds });
    if (outcome === undefined) return ['timed out', `: ${round.length} test files`];
    const { failed, reason } = outcome;
    for (const test of failed) catches.set(`${file} ${test}`, caught(test) + 1);
    if (reason !== undefined) return ['caught', `: ${failed[0]}: ${reason.split('\n')[0]}`];
  }
  return ['survived', `: ${some.length} of ${all.length} test files`];
}

/** The mutants that are asked for. */
function chosenCases(): Case[] {
  const cases = sources
    .filter((file) => changed === undefined || changed.has(file))
    .filter((file) => positionals.length === 0 || positionals.some((path) => isWithin(file, path.replace(/:.*/, ''))))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      const lines = changed?.get(file);
      const isAsked = ({ start }: Mutant) => {
        const { line, column } = placeOf(source, start);
        const isIn = (path: string) => isWithin(file, path) || isWithin(`${file}:${line}:${column}`, path, ':');
        return (lines?.has(line) ?? true) && (positionals.length === 0 || positionals.some(isIn));
      };
      return mutantsOf(source)
        .filter(isAsked)
        .map((mutant) => ({ file, source, mutant }));
    });
  if (options.sample === undefined) return cases;
  console.log(`--sample ${options.sample} --seed ${options.seed}, of ${cases.length} mutants`);
  return new Dice(Number(options.seed)).shuffled(cases).slice(0, Number(options.sample));
}

/** Whether a path is another one, or begins with it. */
function isWithin(path: string, other: string, separator = '/'): boolean {
  return path === other || path.startsWith(other.endsWith(separator) ? other : other + separator);
}

function changedSince(commit: string): Map<string, { has(line: number): boolean }> {
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
  const diff = git('diff', '--unified=0', '--no-color', '--no-ext-diff', ...prefixes, commit, '--', ...sourceFolders);
  const untracked = listed('--others', '--exclude-standard', ...sourceFolders).map(
    (file) => [file, { has: () => true }] as const,
  );
  return new Map<string, { has(line: number): boolean }>([...changedLines(diff), ...untracked]);
}

function describe({ file, source, mutant: { start, end, operator, replacement } }: Case): string {
  const { line, column } = placeOf(source, start);
  const short = (text: string) => {
    const flat = text.replace(/\s+/g, ' ');
    return flat.length > 80 ? `${flat.slice(0, 77)}…` : flat;
  };
  return `${file}:${line}:${column}  ${operator}  ${short(source.slice(start, end))} → ${short(replacement) || 'nothing'}`;
}

function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function report(exitCode: number): never {
  const figures = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
  console.log(`${figures.join(', ')}; ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  process.exit(exitCode);
}
