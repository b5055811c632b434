import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { memoryTests } from '../../vitest.config.ts';
import { includes, type Parts } from './executed-parts.ts';
import type { Mutant } from './mutants.ts';
import type { Outcome, Run } from './run-types.ts';

const FOLDER = '.cache/mutation';
/** How many test files run before what they execute is kept. */
const GROUP = 40;
const MAP = `${FOLDER}/coverage.json`;

/** What a test file executes of a source file. */
interface Executed {
  /** That of the source. Its offsets are those of another text otherwise. */
  readonly digest: string;
  readonly loading: Parts;
  readonly tests: Parts;
}

interface TestFile {
  readonly digest: string;
  readonly milliseconds: number;
  readonly files: Readonly<Record<string, Executed>>;
}

/** Test files that share processes, not too many at a time, and those that measure the memory of their own. */
export function groupsOf(tests: readonly string[]): string[][] {
  const shared = tests.filter((test) => !memoryTests.includes(test));
  const alone = tests.filter((test) => memoryTests.includes(test)).map((test) => [test]);
  const groups: string[][] = [];
  for (let from = 0; from < shared.length; from += GROUP) groups.push(shared.slice(from, from + GROUP));
  return [...groups, ...alone];
}

/** Which test files execute which parts of the sources. It is kept from one run to the next, and renewed where a file has changed. */
export class Coverage {
  readonly #tests: Record<string, TestFile>;
  readonly #importers = new Map<string, string[]>();

  private constructor(tests: Record<string, TestFile>, sources: readonly string[]) {
    this.#tests = tests;
    for (const source of sources) {
      for (const [, specifier = ''] of readFileSync(source, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
        const imported = join(dirname(source), specifier);
        this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), source]);
      }
    }
  }

  /**
   * Reads what is kept, and runs those test files again that have changed or that execute a changed file.
   *
   * @param tests all test files
   * @param sources all sources
   * @param run runs test files
   */
  static async of(
    tests: readonly string[],
    sources: readonly string[],
    isRenewed: boolean,
    run: (run: Omit<Run, 'workers'>) => Promise<Outcome | undefined>,
  ): Promise<Coverage> {
    const kept: Record<string, TestFile> = !isRenewed && existsSync(MAP) ? JSON.parse(readFileSync(MAP, 'utf8')) : {};
    const isCurrent = (test: string) =>
      kept[test]?.digest === digestOf(test) &&
      Object.entries(kept[test].files).every(([file, { digest }]) => digest === digestOf(file));
    const stale = tests.filter((test) => !isCurrent(test));
    if (stale.length > 0) {
      console.log(`Running ${stale.length} test files to see what they execute.`);
      const coverageFolder = `${process.cwd()}/${FOLDER}/coverage`;
      rmSync(coverageFolder, { recursive: true, force: true });
      mkdirSync(coverageFolder, { recursive: true });
      for (const group of groupsOf(stale)) {
        const outcome = await run({ tests: group, mutant: null, coverageFolder });
        for (const test of group) {
          delete kept[test];
          const written = `${coverageFolder}/${test.replaceAll('/', '+')}.json`;
          if (!existsSync(written)) continue;
          // Some measure, and fail where V8 counts. Others would catch everything.
          const again =
            outcome?.failed.includes(test) && (await run({ tests: [test], mutant: null, coverageFolder: null }));
          if (again && again.failed.length > 0)
            console.log(`${test} is left out. It fails without a mutant: ${again.reason}`);
          else kept[test] = testFile(test, JSON.parse(readFileSync(written, 'utf8')));
        }
        writeFileSync(MAP, JSON.stringify(kept));
      }
    }
    const current = Object.entries(kept).filter(([test]) => tests.includes(test));
    return new Coverage(Object.fromEntries(current), sources);
  }

  /** How long a test file takes without a mutant. */
  millisecondsOf(test: string): number {
    return this.#tests[test]?.milliseconds ?? 0;
  }

  /** The test files that execute a mutant, the most promising first: fast ones, and those of the layer of the file. */
  testsOf(file: string, { start, isStatic }: Mutant): string[] {
    const tests = Object.entries(this.#tests);
    const own = tests.filter(([, { files }]) => includes(files[file]?.tests ?? [], start));
    // What runs with the load of the file takes part in all that uses the file.
    const isLoading = isStatic || tests.some(([, { files }]) => includes(files[file]?.loading ?? [], start));
    const users = isLoading ? [file, ...(this.#importers.get(file) ?? [])] : [];
    const using = tests.filter(([, { files }]) => users.some((user) => (files[user]?.tests.length ?? 0) > 0));
    const layer = file.split('/')[1] ?? '';
    const cost = (test: string) => this.millisecondsOf(test) * (test.startsWith(`test/${layer}/`) ? 1 : 3);
    return [...new Set([...own, ...using].map(([test]) => test))].toSorted((one, other) => cost(one) - cost(other));
  }
}

function testFile(
  test: string,
  { milliseconds, loading, tests }: { milliseconds: number } & Record<'loading' | 'tests', Record<string, Parts>>,
): TestFile {
  const files = [...new Set([...Object.keys(loading), ...Object.keys(tests)])].map((file) => {
    return [file, { digest: digestOf(file), loading: loading[file] ?? [], tests: tests[file] ?? [] }] as const;
  });
  return { digest: digestOf(test), milliseconds, files: Object.fromEntries(files) };
}

const digests = new Map<string, string>();
function digestOf(file: string): string {
  const known = digests.get(file);
  if (known !== undefined) return known;
  const digest = existsSync(file)
    ? createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 16)
    : '';
  digests.set(file, digest);
  return digest;
}
