import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { runCommand } from './ask.ts';

/** Runs it as a process of its own, which reads its name from the environment. */
const startCommand = (args: string[], env: Record<string, string> = {}) =>
  startProgram(process.execPath, ['ask/cli.ts', ...args], { env });

const PERIODS = 'Allowed choices are day, week, month, quarter, year.';

describe('dataset-subgraph', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(`${PROJECT}package.json`, 'utf8'));
    expect(await runCommand(['--version'])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  });

  it.each([['--help'], ['-h'], ['help']])('says with %s what it can do', async (argument) => {
    const { code, stdout, stderr } = await runCommand([argument]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^ {2}(demo|start|login|schema|manifest|ask|mcp)\b/gm)).toHaveLength(7);
  });

  it('completes its commands, options and choices in shells', async () => {
    const suggested = async (...words: string[]) =>
      (await runCommand(['complete', '--', ...words])).stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
    expect(await suggested('a')).toEqual(['ask', ':4']);
    expect(await suggested('ask', '--st')).toEqual(['--statistics', ':4']);
    expect(await suggested('ask', 'id', '--every', 'q')).toEqual(['quarter', ':4']);
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await runCommand(['complete', shell]);
      expect([code, stdout]).toEqual([0, expect.stringContaining('dataset-subgraph')]);
    }
  });

  it('names in a checkout the commands that npm has', async () => {
    const npm = { npm_lifecycle_event: 'ask' };
    const none = await startCommand(['ask', 'id', '--metric', 'a', '--points', '0'], npm).ended;
    expect(none.stderr).toMatch(/ See "npm run --silent ask -- --help"\.\n$/);
    const { stdout } = await startCommand(['ask', '--help'], npm).ended;
    expect(stdout).toContain('$ npm run --silent ask -- 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --json');
    expect(stdout.match(/dataset-subgraph (ask|login)/g)).toEqual(['dataset-subgraph ask']);
  });

  it('lists in the help of ask every exit code and setting', async () => {
    const { stdout } = await runCommand(['help', 'ask']);
    const codes = [...stdout.matchAll(/^ {2}(\d+) {2}/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 130]);
    for (const name of ['DATASET_TOKEN', 'DATASET_SUBGRAPH_URL', 'NO_COLOR', 'LC_ALL, LC_CTYPE, LANG']) {
      expect(stdout).toContain(name);
    }
    expect(stdout).not.toContain('--token ');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it.each([
    ['start', 'DATASET_SERVICE_URL must be set to the URL of the dataset service. The demo does not need it.'],
    ['login', 'AUTH_SERVICE_URL must be set to the URL of the login service.'],
  ])('runs %s, which says what it needs', async (command, sentence) => {
    expect(await startCommand([command]).ended).toEqual({ code: 1, signal: null, stdout: '', stderr: `${sentence}\n` });
  });

  it.each<[string, string[], string]>([
    ['no command', [], 'A command is missing.'],
    ['an unknown command', ['no-s3cret'], 'Unknown command.'],
    ['an argument too many', ['ask', 'id', 's3cret'], "Too many arguments for 'ask'. Expected 1 argument but got 2."],
    [
      'no dataset id',
      ['ask'],
      "Missing required argument 'dataset id'. Usage: dataset-subgraph ask <dataset id> [options].",
    ],
    ['an empty dataset id', ['ask', ''], ''],
    ['an unknown option', ['ask', 'id', '--tokn=s3cret'], "Unknown option '--tokn'."],
    ['an unknown command of two lines', ['a\ns3cret'], 'Unknown command.'],
    ['a misspelt option', ['ask', 'id', '--metrc', 's3cret'], "Unknown option '--metrc'. Did you mean --metric?"],
    ['a misspelt command', ['asq', 's3cret'], 'Unknown command. Did you mean ask?'],
    ['an option without its value', ['ask', 'id', '--url'], "Option '--url <url>' argument missing."],
    ['two forms', ['ask', 'id', '--json', '--csv'], "Option '--json' cannot be used with option '--csv'."],
    [
      'a download of a metric',
      ['ask', 'id', '--download', '--metric', 'a'],
      "Option '--download' cannot be used with option '--metric <name>'.",
    ],
    [
      'an output of nothing that is saved',
      ['ask', 'id', '--output', 's3cret'],
      '--output requires --download, --csv or --json, or a name that ends in .csv, .ndjson, .parquet or .arrow.',
    ],
    ['an unknown period', ['ask', 'id', '--every', 's3cret'], `Option '--every <period>' is invalid. ${PERIODS}`],
    [
      'two kinds of tables',
      ['ask', 'id', '--every', 'month', '--statistics'],
      "Option '--statistics' cannot be used with option '--every <period>'.",
    ],
    ['points of an overview', ['ask', 'id', '--points', '9'], '--points requires --metric, --csv or --json.'],
    ...['0', '1.5', '9999999999', 's3cret'].map((number): [string, string[], string] => [
      `${number} points`,
      ['ask', 'id', '--csv', `--points=${number}`],
      "Option '--points <number>' is invalid. It must be a whole number, 1 or more.",
    ]),
    [
      'a file of results with --points',
      ['ask', 'id', '--output', 's3cret.csv', '--points', '9'],
      'A file of results has all rows: use --csv or --json with --points.',
    ],
    ...[['--every', 'day'], ['--statistics']].map((args): [string, string[], string] => [
      `a layout with ${args[0]}`,
      ['ask', 'id', '--output', 's3cret.csv', '--layout', 'wide', ...args],
      '--layout is for files of rows, without --every and --statistics.',
    ]),
    [
      'a layout of no file',
      ['ask', 'id', '--csv', '--layout', 'long', '--output', 's3cret.csv'],
      '--layout requires --output with the name of a file of results.',
    ],
    [
      'a date that there is not',
      ['ask', 'id', '--from', '2015-02-30'],
      "Option '--from <time>' is invalid. It must be a month, a date, a date-time or a time ago, such as 2015-07, 2015-07-01, 2015-07-01T12:00:00Z or -30d.",
    ],
    [
      'a time without an offset',
      ['ask', 'id', '--to', '2015-02-01T00:00:00'],
      "Option '--to <time>' is invalid. It must be a month, a date, a date-time or a time ago, such as 2015-07, 2015-07-01, 2015-07-01T12:00:00Z or -30d.",
    ],
    ['a range that ends before it starts', ['ask', 'id', '--from', '2015-02-02', '--to', '2015-02-01'], ''],
    ...['http://example.com/graphql', 'https://u:s3cret@example.com', 'https://a/?s3cret', 's3cret'].map(
      (url): [string, string[], string] => [
        `the URL ${url}`,
        ['ask', 'id', '--url', url],
        "Option '--url <url>' is invalid. It must be an https URL (or http on a loopback host) without user, query and fragment.",
      ],
    ),
  ])('refuses %s with exit code 2, without saying what was given', async (_title, args, sentence) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^dataset-subgraph: [^\n]+\n$/);
    expect(stderr).not.toContain('s3cret');
    if (sentence !== '') expect(stderr).toBe(`dataset-subgraph: ${sentence} See "dataset-subgraph help".\n`);
  });

  it.each([[['--token', 's3cret']], [['--token=s3cret']], [['--token']]])('refuses the token in %j', async (args) => {
    expect(await runCommand(['ask', 'id', ...args])).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr:
        'dataset-subgraph: A token cannot be an argument, because others could see it. Use DATASET_TOKEN or --token-file. See "dataset-subgraph help".\n',
    });
  });

  it.each([
    [
      'DATASET_TOKEN',
      's3cret two',
      'DATASET_TOKEN must be 1 to 12000 visible ASCII characters, but a value with white space was given.',
    ],
    [
      'DATASET_SUBGRAPH_URL',
      'https://u:s3cret@a',
      'DATASET_SUBGRAPH_URL must be an https URL (or http on a loopback host) without user, query and fragment, but another value was given.',
    ],
  ])('refuses a %s that cannot be used', async (name, value, sentence) => {
    const { code, stdout, stderr } = await runCommand(['ask', 'id'], { env: { [name]: value } });
    expect([code, stdout, stderr]).toEqual([2, '', `dataset-subgraph: ${sentence} See "dataset-subgraph help".\n`]);
  });
});
