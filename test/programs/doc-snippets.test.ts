import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../ask/test/ask.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { DATASET_ID, send, start } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';

/** The pages with commands that users type. doc-commands.test.ts runs two of them, and deploy/test that of the deployment. */
const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'engine/README.md', 'test/oracle/README.md']);

/** Runs each argument as a shell script in which every program is recorded instead: its words, and the variables that it is given. */
const RECORDER = `
exec 3>&1 >/dev/null
PATH=/nowhere
command_not_found_handle() { printf -v words '\\x1f%s' "$@"; printf '%s%s\\x1e' "$(compgen -e)" "$words" >&3; }
for snippet; do (eval "$snippet"); done
`;
/** The variables that bash sets. */
const OWN = ['HOME', 'NODE_COMPILE_CACHE', 'OLDPWD', 'PATH', 'PWD', 'SHLVL', '_'];

interface Command {
  readonly words: readonly string[];
  readonly variables: readonly string[];
}

async function recordCommands(snippets: readonly string[]): Promise<Command[]> {
  const cwd = await mkdtemp(join(tmpdir(), 'snippets-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const { stdout, stderr } = await startProgram('bash', ['--norc', '-c', RECORDER, 'bash', ...snippets], { cwd }).ended;
  expect(stderr).toBe('');
  return stdout.split('\x1e').flatMap((record) => {
    const [variables = '', ...words] = record.split('\x1f');
    const given = variables.split('\n').filter((name) => name !== '' && !OWN.includes(name));
    return words.length === 0 ? [] : [{ words, variables: given }];
  });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const isPath = (word: string) => /^(?!\.\.)[\w.-]+(?:\/[\w.-]+)+$/.test(word) && existsSync(word.split('/')[0] ?? '');
const missingFiles = (words: readonly string[]) => words.filter((word) => isPath(word) && !existsSync(word));
const optionsIn = (words: readonly string[]) => words.filter((word) => /^--\w/.test(word));

/** The names in a command that are not there, by its program. */
const programs: Readonly<Record<string, (words: readonly string[]) => string[] | Promise<string[]>>> = {
  npm: missingInNpm,
  npx: ([program = '', ...words]) =>
    program === 'vitest' ? missingInVitest(words) : program === 'dataset-subgraph' ? missingInOurs(words) : [program],
  // A checkout has the TypeScript of what a package has.
  node: (words) => missingFiles(words.map((word) => word.replace(/^dist\/(.*)\.js$/, '$1.ts'))),
  'dataset-subgraph': missingInOurs,
  curl: missingInCurl,
  git: missingFiles,
  cp: missingFiles,
};
/** Programs of others, whose words are theirs but for files of the project. */
const others = [
  'apollo-mcp-server',
  'getent',
  'grep',
  'head',
  'mktemp',
  'openssl',
  'promtool',
  'rover',
  'sed',
  'sort',
  'uniq',
];

function missingInNpm(all: readonly string[]): string[] | Promise<string[]> {
  const end = all.includes('--') ? all.indexOf('--') : all.length;
  const [verb = '', script = ''] = all.slice(0, end).filter((word) => !word.startsWith('-'));
  const words = all.slice(end + 1);
  if (['', 'audit', 'ci', 'install', 'pack', 'sbom'].includes(verb)) return [];
  const name = verb === 'run' ? script : verb;
  if (name === '' || all.includes('-w')) return [];
  const line: string | undefined = manifest.scripts[name];
  if (line === undefined) return [`npm run ${name}`];
  if (name === 'ask' || name === 'mcp') return missingInOurs([name, ...words]);
  const [, file] = /(\S+\.ts)$/.exec(line) ?? [];
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  const unknown = optionsIn(words).filter((option) => !new RegExp(`\\b${option.slice(2)}: \\{`).test(text));
  return [...unknown, ...missingFiles(words)];
}

/** A file and a title of it, as `vitest run` takes them. */
function missingInVitest([run = '', file = '', option, title = '']: readonly string[]): string[] {
  if (run !== 'run' || !existsSync(file)) return [run, file];
  return option === '-t' && !readFileSync(file, 'utf8').includes(title) ? [title] : [];
}

/** The help of a command of the program, which is asked for once. */
const helps = new Map<string, Promise<string>>();
function helpOf(...command: string[]): Promise<string> {
  const key = command.join(' ');
  const help = helps.get(key) ?? runCommand(['help', ...command]).then(({ stdout }) => stdout);
  helps.set(key, help);
  return help;
}

async function missingInOurs([command = '', ...words]: readonly string[]): Promise<string[]> {
  if (command === '') return [];
  const commands = [...(await helpOf()).matchAll(/^ {2}(\w+)(?: .*)? {2}\S/gm)].map(([, name]) => name);
  const named = command === 'help' ? [command, ...words] : [command];
  const unknown = named.filter((name) => !commands.includes(name));
  if (unknown.length > 0 || optionsIn(words).length === 0) return unknown;
  const help = await helpOf(command);
  return optionsIn(words).filter((option) => !new RegExp(`^ {2}(?:-\\w, )?${option}\\b`, 'm').test(help));
}

/** Other addresses are those of servers that other tests start. */
function missingInCurl(words: readonly string[]): Promise<string[]> {
  const paths = words.flatMap((word) => /^http:\/\/127\.0\.0\.1:4000(\/\S*)$/.exec(word)?.[1] ?? []);
  return missingPaths(paths);
}

/** The paths that no listener of the subgraph serves. */
async function missingPaths(paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const env = { EXPLORER: 'graphiql', AUTH_SERVICE_URL: 'http://127.0.0.1:9', METRICS_PORT: '0' };
  const { subgraph } = await start({ env });
  const missing = [];
  for (const path of paths) {
    const real = path.replace(/\bID\b/, DATASET_ID).replace(/\/(?:…|\{\w+\})?$/, path === '/' ? '/' : '/x');
    const answers = await Promise.all(
      [subgraph.url, subgraph.metricsUrl ?? ''].flatMap((url) =>
        ['GET', 'POST'].map((method) => send(new URL(real, url), { method, headers: { accept: 'text/html' } })),
      ),
    );
    if (answers.every(({ status }) => status === 404)) missing.push(path);
  }
  return missing;
}

/** The variables that the program, the command and the scripts of a checkout read. */
const read = new Set(
  [
    'src/config.ts',
    'ask/src/settings.ts',
    'package.json',
    ...globSync('test/**/*.ts', { exclude: ['**/node_modules'] }),
  ].flatMap((file) => readFileSync(file, 'utf8').match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? []),
);

/** What a page has between backticks, outside of its blocks. */
function spansOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '));
}

/** The commands of a page: those of its blocks, and those in its text. */
function snippetsOf(page: string): string[] {
  const blocks = blocksOf(page).flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
  const first = new RegExp(
    `^(?:[A-Z_]+=\\S* )*(?:export [A-Z]|source <|(?:${Object.keys(programs).join('|')})(?: |$))`,
  );
  return [...blocks, ...spansOf(page).filter((span) => first.test(span))];
}

describe.each(pages.filter((page) => page !== 'docs/python.md' && snippetsOf(page).length > 0))('%s', (page) => {
  it('has commands, options, variables, files and addresses that are there', { timeout: 60_000 }, async () => {
    const commands = await recordCommands(snippetsOf(page));
    for (const { words, variables } of commands) {
      const [program = '', ...given] = words;
      const check = programs[program] ?? (others.includes(program) ? missingFiles : () => [program]);
      expect({ command: words.join(' '), missing: await check(given) }).toMatchObject({ missing: [] });
      expect({ command: words.join(' '), unknown: variables.filter((name) => !read.has(name)) }).toMatchObject({
        unknown: [],
      });
    }
  });
});

it('The options that the pages of the command name are there', async () => {
  const help = `${await helpOf('ask')}${await helpOf('mcp')}`;
  const named = ['docs/terminal.md', 'docs/mcp.md'].flatMap(spansOf).filter((span) => span.startsWith('--'));
  expect(named.length).toBeGreaterThan(10);
  const unknown = named.filter((span) => !new RegExp(`^ {2}${span.split(' ')[0]}\\b`, 'm').test(help));
  expect(unknown).toEqual([]);
});

it('The paths that the pages name are served', async () => {
  const named = pages.flatMap(spansOf).filter((span) => /^\/[\w/…-]*(?:#\S+)?$/.test(span));
  // Those of the REST service and of a collector begin with a version.
  const paths = [...new Set(named)].filter((path) => !/^\/v\d/.test(path));
  expect(paths.length).toBeGreaterThan(5);
  expect(await missingPaths(paths)).toEqual([]);
});
