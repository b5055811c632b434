#!/usr/bin/env node
import '../src/node-version.cjs';
import { fileURLToPath } from 'node:url';
import completeCommands from '@bomb.sh/tab/commander';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readServiceUrl, SERVICE_URL } from '../src/config.ts';
import { ConfigError } from '../src/core/error-codes.ts';
import { packageRoot, packageVersion } from '../src/core/package.ts';
import { printText, say } from '../src/output.ts';
import type { AskOptions } from './src/ask.ts';
import { ASK, HELP, LOGIN } from './src/command-names.ts';
import { exitCode, Failure } from './src/failure.ts';
import type { McpOptions } from './src/mcp/mcp.ts';
import { type AskSettings, readAskSettings } from './src/settings.ts';
import { pointInTime } from './src/time.ts';

const docs = fileURLToPath(new URL('README.md', packageRoot));

const overview = `
Examples, with the demo running in another terminal:
  $ dataset-subgraph demo
  $ export DATASET_TOKEN=demo-token
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31
  $ dataset-subgraph ask 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --metric temp_max --from 2015-07-01 --to 2015-07-31

"dataset-subgraph help ask" explains ask, and "dataset-subgraph help mcp" explains mcp. The settings of the other commands
are environment variables, listed in docs/settings.md. An invalid setting ends them with exit code 1.

Documentation: ${docs}
`;

const asking = `
Without --metric the output is an overview of the dataset and a table of its assets. With --metric it is a chart with a
line for each asset. A date or a month is one in UTC: --from uses its start, --to its end; -30d is 30 days ago, and
h, w, m and y are hours, weeks, months and years. Standard output has only data. Errors, notes and the progress of a
large response go to standard error.

--every prints a table of the periods for each asset and metric, --statistics one of the metrics for each asset. The
subgraph computes them from the rows of the dataset. Tables round to six digits; CSV and JSON have every digit and more
columns. Periods are those of the calendar in UTC, and weeks start on Monday. --points selects rows that keep the shape
of a line: its extremes and gaps.

CSV has the columns asset_id, asset_name, asset_version, value_date_utc and one for each metric; with --every and
--statistics, a row for each metric with the columns of a file for spreadsheets: dates are in UTC, and a text that a
spreadsheet would run or change gets an apostrophe before it. A file of the subgraph has both unchanged. --json prints
"data" of the response, byte for byte.

A download is saved in the working directory under the name from the service, or where --output says. --output also
saves CSV and JSON. Without --csv and --json, the subgraph makes a file of the results, or of what --every and
--statistics compute, in the format of the extension (.csv, .ndjson, .parquet or .arrow). The name of a saved file is
printed. "-" is standard output. Existing files are never overwritten. An incomplete file has the extension .part, and
is removed on a failure.

Environment:
  DATASET_TOKEN         the access token ("${LOGIN}" gets one). It cannot be an argument: all users of the
                        machine can see arguments. It is sent only to the subgraph
  DATASET_SUBGRAPH_URL  the URL of the subgraph, if --url is not given
  SCHEMA_NAMES          as the subgraph has it, if it gives Query.dataset another name
  NO_COLOR              no colours and no progress bar
  LC_ALL, LC_CTYPE, LANG
                        if the first one that is set has no UTF-8, charts are drawn in ASCII

Examples, for the demo's datasets:
  $ ${ASK} 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31
  $ ${ASK} 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --asset seattle-tacoma --metric temp_max --metric wind
  $ ${ASK} 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --metric temp_max --every month --from 2015-01-01
  $ ${ASK} b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54 --csv --output co2.csv
  $ ${ASK} 6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31 --json | jq .dataset.name
  $ ${ASK} d40b8e93-7c26-4f1a-a5d8-3b6f9e2c1057 --download

Exit codes:
  0    success, also if the reader of standard output closes early (| head)
  1    the subgraph or the service failed, or a file cannot be written
  2    the command, the environment or the input is invalid
  3    no token, or the token may not read this
  4    nothing was found
  5    partial result: the output is incomplete, and standard error says why
  130  interrupted by Ctrl-C (129 by SIGHUP, 143 by SIGTERM)
`;

const serving = `
The tools are operations of operations/, sent to a running subgraph. docs/mcp.md lists them, and says how to add the server
to a client.

Without --http it speaks MCP over standard input and output, and sends DATASET_TOKEN. With --http it is a server at /mcp
for several clients, and sends the bearer token of each request. It does not check tokens, and does not encrypt: let only
your own clients reach it, and put a proxy with TLS before it if they are on other hosts.

Environment:
  DATASET_TOKEN         the access token ("dataset-subgraph login" gets one), without --http
  DATASET_SUBGRAPH_URL  the URL of the subgraph, if --url is not given
  SCHEMA_NAMES          as the subgraph has it

Examples:
  $ dataset-subgraph mcp
  $ dataset-subgraph mcp --http 8000
`;

const program = new Command('dataset-subgraph')
  .description('The dataset subgraph, and queries to it from the terminal.')
  .version(packageVersion, '--version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .addHelpText('after', overview)
  // Errors are printed below, as one line and without the given values.
  .configureOutput({ writeOut: printText, writeErr: () => {} })
  .exitOverride();

program
  .command('demo')
  .description('serve the demo data, with a simulator of the REST service')
  .action(async () => void (await import('../simulator/demo.ts')));
program
  .command('start')
  .description('serve the REST service at DATASET_SERVICE_URL')
  .action(async () => void (await import('../src/main.ts')));
program
  .command('login')
  .description('print an access token of the service at AUTH_SERVICE_URL')
  .action(async () => void (await import('./login.ts')));
program
  .command('schema')
  .description('print the schema as routers read it')
  .action(async () => void (await import('../src/schema.ts')));
program
  .command('manifest')
  .description('print the operations of this package as a manifest of persisted queries')
  .action(async () => void (await import('../src/manifest.ts')));

program
  .command('ask')
  .description('Asks a running subgraph for a dataset: its overview, its assets, charts of its metrics, its file.')
  .summary('ask a running subgraph for a dataset')
  .argument('<dataset id>', 'the id of the dataset')
  .option('--url <url>', 'the GraphQL endpoint of the subgraph (default: http://127.0.0.1:4000/graphql)', parseUrl)
  .option('--token-file <file>', 'read the access token from this file instead of DATASET_TOKEN; "-" is standard input')
  .addOption(new Option('--token [token]').hideHelp().argParser(rejectToken).preset(''))
  .option('--asset <asset id>', 'only this asset; may be repeated', collect)
  .option(
    '--metric <name>',
    'draw a chart of this metric, or print only it as JSON or CSV; may be repeated',
    collect,
    [],
  )
  .option('--from <time>', 'only from this month, date, date-time (RFC 3339) or time ago (-30d)', parseBound('start'))
  .option('--to <time>', 'only up to this month, date, date-time or time ago', parseBound('end'))
  .addOption(
    new Option('--every <period>', 'the metrics by period: count, sum, mean, deviation and extremes').choices([
      'day',
      'week',
      'month',
      'quarter',
      'year',
    ]),
  )
  .addOption(
    new Option('--statistics', 'the metrics in all: count, sum, mean, deviation, extremes, first and last').conflicts(
      'every',
    ),
  )
  .addOption(
    new Option('--points <number>', 'of each asset at most so many rows, for a chart, JSON or CSV')
      .conflicts(['every', 'statistics'])
      .argParser(parsePoints),
  )
  .addOption(new Option('--json', '"data" of the response as JSON, byte for byte').conflicts(['csv', 'download']))
  .addOption(new Option('--csv', 'all values as CSV').conflicts('download'))
  .addOption(
    new Option('--download', "save the dataset's file").conflicts([
      ...['asset', 'metric', 'from', 'to', 'every', 'statistics', 'points', 'json', 'csv'],
    ]),
  )
  .option('--output <file>', 'save to this new file, or "-"; without --csv and --json, its extension is the format')
  .addOption(
    new Option('--layout <layout>', 'of a file of results: a row for each date or value').choices(['wide', 'long']),
  )
  .addHelpText('after', asking)
  .action(async (datasetId: string, options: AskOptions) => {
    const { output, download, csv, json, metric = [], every, statistics, points, layout } = options;
    const { ask } = await import('./src/ask.ts');
    const { fileFormatOf } = await import('./src/file-format.ts');
    const isOther = download || csv || json;
    const isFile = output !== undefined && !isOther && fileFormatOf(output) !== undefined;
    if (output !== undefined && !isOther && !isFile) {
      throw usage(
        '--output requires --download, --csv or --json, or a name that ends in .csv, .ndjson, .parquet or .arrow.',
      );
    }
    if (isFile && points !== undefined) {
      throw usage('A file of results has all rows: use --csv or --json with --points.');
    }
    if (points !== undefined && !csv && !json && metric.length === 0) {
      throw usage('--points requires --metric, --csv or --json.');
    }
    if (layout !== undefined && !isFile) throw usage('--layout requires --output with the name of a file of results.');
    if (layout !== undefined && (every ?? statistics) !== undefined) {
      throw usage('--layout is for files of rows, without --every and --statistics.');
    }
    await ask(datasetId, options, settings());
  });

program
  .command('mcp')
  .description('Serves tools for language models (Model Context Protocol), which query a running subgraph.')
  .summary('serve tools for language models (MCP)')
  .option('--url <url>', 'the GraphQL endpoint of the subgraph (default: http://127.0.0.1:4000/graphql)', parseUrl)
  .option('--http <port>', 'serve streamable HTTP at this port instead of standard input and output', parsePort)
  .option('--host <host>', 'listen on this host or address (default: 127.0.0.1)')
  .option('--allow-host <name>', 'a further host name by which clients reach the server; may be repeated', collectHosts)
  .addOption(new Option('--token [token]').hideHelp().argParser(rejectToken).preset(''))
  .addHelpText('after', serving)
  .action(async (options: McpOptions) => {
    if (options.http === undefined && (options.host ?? options.allowHost) !== undefined) {
      throw usage('--host and --allow-host require --http.');
    }
    const { serveMcp } = await import('./src/mcp/mcp.ts');
    await serveMcp(options, settings());
  });

completeCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (failure.exitCode !== exitCode.complete) say(failure.message);
  process.exitCode = failure.exitCode;
}

/** The failure for an error; undefined for an internal error. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return usage(error.message);
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return new Failure(exitCode.complete, '');
  if (error.code === 'commander.missingArgument')
    return usage(`${messageOf(error)} Usage: ${ASK} <dataset id> [options].`);
  if (error.code === 'commander.help') return usage('A command is missing.');
  return usage(messageOf(error));
}

/** The message of Commander without the given values, which may be misplaced secrets. A suggestion names what there is. */
function messageOf({ message }: CommanderError): string {
  const [, text = '', suggestion = ''] = /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*\?)\))?$/s.exec(message) ?? [];
  const reason = text
    .replace(/ argument '.*' is invalid\./s, ' is invalid.')
    .replace(/(unknown command) '.*'/s, '$1')
    .replace(/('--?[\w-]+)=.*'/s, "$1'")
    .replace(/( but got \d+): .*/s, '$1');
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.${suggestion && ` ${suggestion}`}`;
}

function settings(): AskSettings {
  return readAskSettings(process.env);
}

function usage(message: string): Failure {
  return new Failure(exitCode.usage, `${message.replace(/\.+$/, '.')} See "${HELP}".`);
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
      throw new InvalidArgumentError(
        'It must be a month, a date, a date-time or a time ago, such as 2015-07, 2015-07-01, 2015-07-01T12:00:00Z or -30d.',
      );
    }
    return time;
  };
}

function parsePoints(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

function collectHosts(value: string, values?: readonly string[]): readonly string[] {
  if (!/^[a-z\d.-]+$/i.test(value)) throw new InvalidArgumentError('It must be a host name without a port.');
  return collect(value.toLowerCase(), values);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  return port;
}

function rejectToken(): never {
  throw usage('A token cannot be an argument, because others could see it. Use DATASET_TOKEN or --token-file.');
}
