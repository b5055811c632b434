// Which test files execute which parts of the sources. process-setup.ts writes a file for each test file, which stays until that or a
// source that it executes changes.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutants.ts';

/** The folders with the code of the server and of the engine, which `npm run mutate` changes. */
export const sourceFolders = ['src', 'explorer/server', 'files', 'engine'];

/** Whether a file is code of these folders: the engine has its tests and its benchmark beside it. */
export function isSource(file: string): boolean {
  const isIn = (folder: string) => file.startsWith(`${folder}/`);
  return (
    file.endsWith('.ts') && sourceFolders.some(isIn) && !['engine/test', 'engine/bench', 'src/generated'].some(isIn)
  );
}

const FOLDER = '.cache/mutation/coverage';

/** Parts of a text, ascending: the offsets where each begins and ends, in turn. */
export type Parts = readonly number[];

/** What a test file executes. */
export interface Executed {
  /** The digests of the test file and of the sources. Otherwise their offsets are those of another text. */
  readonly digests: Readonly<Record<string, string>>;
  readonly milliseconds: number;
  /** By source: what runs when it is loaded, for whichever test file is the first of a process, and what tests run. */
  readonly loading: Readonly<Record<string, Parts>>;
  readonly tests: Readonly<Record<string, Parts>>;
}

/** What V8 counts in a function: the first range is the function, and each other one lies in an earlier one. */
interface CountedFunction {
  /** Empty for the file itself, and for a function without a name. */
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
}

/** The parts of a file that were executed in functions: the file itself runs once in a process. */
export function executedParts(functions: readonly CountedFunction[]): Parts {
  const isFile = ({ functionName, ranges }: CountedFunction) => functionName === '' && ranges[0]?.startOffset === 0;
  const ranges = functions.filter((counted) => !isFile(counted)).flatMap((counted) => counted.ranges);
  const isExecuted = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)) + 1);
  // Inner ranges after those around them.
  for (const range of ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset))
    isExecuted.fill(Math.min(range.count, 1), range.startOffset, range.endOffset);
  return [...isExecuted.keys()].filter((offset) => isExecuted[offset] !== (isExecuted[offset - 1] ?? 0));
}

/** Whether an offset is in one of the parts. */
export function includes(parts: Parts, offset: number): boolean {
  const end = parts.findIndex((boundary) => boundary > offset);
  return end % 2 === 1;
}

/** A digest of a file, as it is now. */
export function digestOf(file: string): string {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 16) : '';
}

/** Where it is kept what a test file executes. */
export function executedFile(test: string): string {
  return join(FOLDER, `${test.replaceAll('/', '+')}.json`);
}

/** Which test files execute which parts of the sources. */
export class Coverage {
  readonly #tests = new Map<string, Executed>();
  readonly #importers = new Map<string, string[]>();

  /** Runs those test files by `run` that have changed or that execute a changed source; with `isRenewed` all of them. */
  static async of(
    tests: readonly string[],
    isRenewed: boolean,
    run: (tests: readonly string[]) => Promise<unknown>,
  ): Promise<Coverage> {
    if (isRenewed) rmSync(FOLDER, { recursive: true, force: true });
    const digests = new Map<string, string>();
    const isCurrent = ([file, digest]: [string, string]) => {
      if (!digests.has(file)) digests.set(file, digestOf(file));
      return digests.get(file) === digest;
    };
    const stale = tests.filter((test) => !Object.entries(read(test)?.digests ?? { [test]: '' }).every(isCurrent));
    if (stale.length > 0) {
      console.log(`Running ${stale.length} test files to see what they execute.`);
      await run(stale);
    }
    return new Coverage(tests);
  }

  private constructor(tests: readonly string[]) {
    for (const test of tests) {
      const executed = read(test);
      if (executed !== undefined) this.#tests.set(test, executed);
    }
    for (const source of globSync(sourceFolders.map((folder) => `${folder}/**/*.ts`))) {
      for (const [, specifier = ''] of readFileSync(source, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
        const imported = join(dirname(source), specifier);
        this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), source]);
      }
    }
  }

  /** How long a test file takes without a mutant. */
  millisecondsOf(test: string): number {
    return this.#tests.get(test)?.milliseconds ?? 0;
  }

  /** The test files that execute a mutant, the most promising first: fast ones, and those of the layer of the file. */
  testsOf(file: string, { start, isStatic }: Mutant): string[] {
    const all = [...this.#tests];
    // What runs with the load of the file takes part in all that uses the file.
    const isLoading = isStatic || all.some(([, { loading }]) => includes(loading[file] ?? [], start));
    const users = isLoading ? [file, ...(this.#importers.get(file) ?? [])] : [];
    const executing = all.filter(
      ([, { tests }]) => includes(tests[file] ?? [], start) || users.some((user) => tests[user] !== undefined),
    );
    const layer = file.startsWith('engine/') ? 'engine/test/' : `test/${file.split('/')[1]}/`;
    const cost = (test: string) => this.millisecondsOf(test) * (test.startsWith(layer) ? 1 : 3);
    return executing.map(([test]) => test).toSorted((one, other) => cost(one) - cost(other));
  }
}

function read(test: string): Executed | undefined {
  const file = executedFile(test);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
