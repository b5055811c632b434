#!/usr/bin/env node
import './node-version.cjs';
import { readFile } from 'node:fs/promises';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { AskOptions } from './cli/ask.ts';
import { exitCode, Failure } from './cli/failure.ts';
import { say } from './cli/output.ts';
import { pointInTime } from './cli/time.ts';
import { ConfigError, readConfig, readServiceUrl, SERVICE_URL } from './config.ts';

const overview = `
Examples, with the demo running in another terminal:
  $ dataset-subgraph demo
  $ export DATASET_TOKEN=demo-token
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --metric temp_max --from 2015-07-01 --to 2015-07-31

"dataset-subgraph help ask" says more of asking. The settings of demo, start, login and schema are environment
variables, listed in docs/settings.md; a setting that cannot be used ends them with exit code 1.
`;

const asking = `
Without --metric the answer is what the dataset is, and a table of its assets. With --metric it is a chart, a line for
each asset. A date alone is that day in UTC: --from takes its beginning, --to its end. Standard output has data and
nothing else; errors, remarks and the progress of a large answer go to standard error.

CSV has the columns asset_id, asset_name, asset_version, value_date and one for each metric. A text that a spreadsheet
would take for a formula gets an apostrophe before it; --json changes nothing.

A download is saved in the working directory under the name that the service gives it, which is printed. A file that is
there is never overwritten. Until the file is complete it has the ending .part; where it never is, nothing is left.

Environment:
  DATASET_TOKEN         the access token ("dataset-subgraph login" gets one); never an argument, because arguments can
                        be seen by everybody on the machine. It is sent to the subgraph and nowhere else
  DATASET_SUBGRAPH_URL  the subgraph, where --url is not given
  NO_COLOR              no colours and no progress bar
  LC_ALL, LC_CTYPE, LANG
                        without UTF-8 in the first that is set, charts are drawn in ASCII

Examples, for the demo's datasets:
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --asset seattle-tacoma --metric temp_max --metric wind
  $ dataset-subgraph ask b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54 --csv > co2.csv
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --json | jq .dataset.name
  $ dataset-subgraph ask d40b8e93-7c26-4f1a-a5d8-3b6f9e2c1057 --download

Exit codes:
  0    all that was asked for is there; also where the reader of standard output has gone (| head)
  1    the subgraph or the service failed, or a file cannot be written
  2    the command, the environment or the input cannot be used
  3    no token, or one that may not read this
  4    there is nothing of what was asked for
  5    a part is there and was shown, the rest is not; standard error says why
  130  broken off by Ctrl-C (129 and 143: by SIGHUP and SIGTERM)
`;

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const program = new Command('dataset-subgraph')
  .description('The subgraph of datasets, and questions to it from the terminal.')
  .version(version, '--version', 'print the version')
  .helpOption('--help', 'print this help')
  .addHelpText('after', overview)
  // What cannot be used is said below, in one sentence and without what was given.
  .configureOutput({ writeErr: () => {} })
  .exitOverride();

program
  .command('demo')
  .description('serve the demo data, with a simulator of the REST service')
  .action(async () => void (await import('./demo.ts')));
program
  .command('start')
  .description('serve the REST service at DATASET_SERVICE_URL')
  .action(async () => void (await import('./main.ts')));
program
  .command('login')
  .description('print an access token of the service at AUTH_SERVICE_URL')
  .action(async () => void (await import('./login.ts')));
program
  .command('schema')
  .description('print the schema as routers read it')
  .action(async () => void (await import('./schema.ts')));

program
  .command('ask')
  .description('Asks a running subgraph for a dataset: what it is, its assets, charts of its metrics, its file.')
  .summary('ask a running subgraph for a dataset')
  .argument('<dataset id>', 'the id of the dataset')
  .option('--url <url>', 'where the subgraph serves GraphQL (default: http://127.0.0.1:4000/graphql)', parseUrl)
  .option('--token-file <file>', 'take the access token from this file, "-": standard input, not from DATASET_TOKEN')
  .addOption(new Option('--token [token]').hideHelp().argParser(refuseToken).preset(''))
  .option('--asset <asset id>', 'only this asset; may be repeated', collect)
  .option(
    '--metric <name>',
    'draw a chart of this metric, or give only it as JSON or CSV; may be repeated',
    collect,
    [],
  )
  .option('--from <time>', 'only from this date, or date-time with offset (RFC 3339)', parseBound('start'))
  .option('--to <time>', 'only until then', parseBound('end'))
  .addOption(new Option('--json', 'the answer as JSON, byte for byte').conflicts(['csv', 'download']))
  .addOption(new Option('--csv', 'all values as CSV').conflicts('download'))
  .addOption(
    new Option('--download', "save the dataset's file").conflicts(['asset', 'metric', 'from', 'to', 'json', 'csv']),
  )
  .option('--output <file>', 'save it under this name; goes with --download')
  .addHelpText('after', asking)
  .action(async (datasetId: string, options: AskOptions) => {
    if (options.output !== undefined && !options.download) throw usage('--output goes with --download.');
    const { ask } = await import('./cli/ask.ts');
    await ask(datasetId, options, readConfig(process.env));
  });

try {
  await program.parseAsync();
} catch (error) {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (failure.exitCode !== exitCode.complete) say(failure.message);
  process.exitCode = failure.exitCode;
}

/** Private. What ended the command before it could begin; undefined for a fault of the program. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return usage(error.message);
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return new Failure(exitCode.complete, '');
  if (error.code === 'commander.help') return usage('A command is needed.');
  return usage(sentenceOf(error));
}

/** Private. What Commander says, without what was given: that may be a secret in the wrong place. */
function sentenceOf({ message }: CommanderError): string {
  const [line = ''] = message.replace(/^error: /, '').split('\n');
  const reason = line
    .replace(/ argument '.*' is invalid\./, ' is invalid.')
    .replace(/(unknown command) '.*'/, '$1')
    .replace(/('--?[\w-]+)=.*'/, "$1'")
    .replace(/( but got \d+): .*/, '$1');
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;
}

function usage(sentence: string): Failure {
  return new Failure(exitCode.usage, `${sentence.replace(/\.+$/, '.')} See "dataset-subgraph help".`);
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

function parseUrl(text: string): URL {
  const url = readServiceUrl(text);
  if (url === undefined) throw new InvalidArgumentError(`It must be ${SERVICE_URL}.`);
  return url;
}

function parseBound(bound: 'start' | 'end'): (text: string) => Date {
  return (text) => {
    const time = pointInTime(text, bound);
    if (time === undefined) {
      throw new InvalidArgumentError('It must be a date such as 2015-07-01, or 2015-07-01T12:00:00Z.');
    }
    return time;
  };
}

function refuseToken(): never {
  throw usage('A token is never an argument, where others could see it; DATASET_TOKEN or --token-file has it.');
}
