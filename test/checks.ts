/** What `npm run check` runs. */

/** An npm script, and the files that it judges. */
interface Check {
  readonly script: string;
  readonly files: RegExp;
  /** Whether a check of everything runs it. The others need other tools, or minutes, and .ci/run has them. */
  readonly isUsual: boolean;
}

const usual = (script: string, files: RegExp): Check => ({ script, files, isUsual: true });
const further = (script: string, files: RegExp): Check => ({ script, files, isUsual: false });

const CHECKS: readonly Check[] = [
  usual('types', /\.[cm]?[jt]sx?$|tsconfig.*\.json$|package(-lock)?\.json$/),
  usual('lint', /\.([cm]?[jt]sx?|json|jsonc|css|graphql)$/),
  usual('generate:check', /^(schema\.graphql|codegen\.ts|src\/generated\/|test\/codegen\/)/),
  usual('schema:check', /^(schema\.graphql|test\/schema\/)/),
  usual(
    'test',
    /^(src|engine|files|simulator|test|explorer\/(src|server|page))\/|^(package(-lock)?\.json|vitest\.config\.ts)$/,
  ),
  usual('test:architecture', /^(src|engine|files|ask|explorer|simulator|test\/architecture)\//),
  usual('test:composition', /^(schema\.graphql|src\/graphql\/|test\/composition\/|docs\/federation\.md)/),
  usual('test:engine', /^(engine|test\/oracle)\//),
  further('test:large', /^(src|engine|files|test\/(large|support))\//),
  further(
    'test:programs',
    /^(src\/(main|config|schema|manifest)|ask\/|simulator\/|examples\/supergraph\/|test\/programs\/|docs\/(terminal|tutorial)\.md)/,
  ),
  further('test:explorer', /^explorer\//),
  further('test:deploy', /^(deploy|\.github|\.ci)\//),
  further('test:files', /^(files|engine|test\/files)\//),
  further('test:examples', /^(examples\/(typed-client|relay)|test\/examples)\//),
  further('test:python', /^(docs\/python\.md|test\/python\/)/),
  further('test:supergraph', /^(test\/supergraph|deploy\/(router|supergraph|rhai|hive|cosmo|grafbase))/),
];

/** The tests of docs and of the repository, which read files instead of importing them. */
const PROJECT_TESTS = 'test/project';

/**
 * The commands that check everything without other tools.
 */
export function allCommands(): readonly string[] {
  return CHECKS.flatMap(({ script, isUsual }) => (isUsual ? [`npm run ${script}`] : []));
}

/**
 * The commands that check changed files, with every suite that judges one of them. Where only test files of `npm test` changed, these and
 * the tests of the project run.
 *
 * @param changed paths from the project's folder, with slashes
 */
export function commandsFor(changed: readonly string[]): readonly string[] {
  if (changed.length === 0) return [];
  const commands = CHECKS.filter(({ files }) => changed.some((path) => files.test(path))).map(({ script }) => script);
  const tested = changed.filter((path) => CHECKS.some(({ script, files }) => script === 'test' && files.test(path)));
  const areTests = tested.every((path) => /^(test|simulator\/test)\/.*\.test\.ts$/.test(path));
  const tests = areTests ? `npx vitest run ${[PROJECT_TESTS, ...tested].join(' ')}` : 'npm run test';
  return [...commands.filter((script) => script !== 'test').map((script) => `npm run ${script}`), tests];
}
