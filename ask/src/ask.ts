import { ZodError } from 'zod';
import { isDatasetId } from '../../src/core/dataset-id.ts';
import { rootFieldsOf } from '../../src/core/root-fields.ts';
import { endWithReader, print, say } from '../../src/output.ts';
import { endpointOf, type Subgraph } from './client.ts';
import { LOGIN } from './command-names.ts';
import type { FileContents } from './download.ts';
import { type ExitCode, exitCode, Failure } from './failure.ts';
import { fileFormatOf } from './file-format.ts';
import { askGraphQL, type GraphQLResponse, unreadable } from './graphql-response.ts';
import { JsonError } from './json-view.ts';
import type { PeriodUnit, Question, Values } from './question.ts';
import { assertAbsent, STDOUT, saveFile } from './saved-file.ts';
import type { AskSettings } from './settings.ts';
import { type Form, type Shown, show } from './show.ts';
import { displayOf, fileDisplay } from './terminal.ts';
import { readToken } from './token.ts';

/** The command-line options of `ask`. */
export interface AskOptions {
  readonly url?: URL;
  readonly tokenFile?: string;
  readonly asset?: readonly string[];
  readonly metric?: readonly string[];
  readonly every?: PeriodUnit;
  readonly statistics?: true;
  readonly points?: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly json?: true;
  readonly csv?: true;
  readonly download?: true;
  readonly output?: string;
  readonly layout?: 'wide' | 'long';
}

/** Signals that end the command, with their numbers. The exit code is 128 plus the number, as in shells. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Runs `ask`: writes data to standard output and messages to standard error, and sets the exit code. */
export async function ask(datasetId: string, options: AskOptions, settings: AskSettings): Promise<void> {
  endWithReader();
  const interrupted = new AbortController();
  for (const [signal, number] of Object.entries(signals)) {
    // Not `once`: npm forwards a Ctrl-C that the terminal already sent, and a second signal would end the process at once.
    process.on(signal, () => {
      process.exitCode ??= 128 + number;
      interrupted.abort();
    });
  }
  try {
    const code = await run(datasetId, options, settings, interrupted.signal);
    process.exitCode ??= code;
  } catch (error) {
    if (interrupted.signal.aborted) process.exit();
    const failure = error instanceof JsonError || error instanceof ZodError ? unreadable() : error;
    if (!(failure instanceof Failure)) throw failure;
    say(failure.message);
    if (failure.exitCode === exitCode.notAllowed && !hasToken(options, settings)) say(NO_TOKEN);
    process.exitCode = failure.exitCode;
  }
}

async function run(
  datasetId: string,
  options: AskOptions,
  settings: AskSettings,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (!isDatasetId(datasetId)) {
    throw new Failure(exitCode.usage, 'A dataset id must have 1 to 200 characters and no control characters.');
  }
  if (options.from !== undefined && options.to !== undefined && options.from > options.to) {
    throw new Failure(exitCode.usage, '--from must not be later than --to.');
  }
  const display = displayOf(process.stdout, settings);
  const token = options.tokenFile === undefined ? settings.DATASET_TOKEN : await readToken(options.tokenFile, signal);
  const subgraph: Subgraph = { url: endpointOf(options.url ?? settings.DATASET_SUBGRAPH_URL), token };
  const abort = { signal, unicode: display.unicode };
  if (options.download) {
    const { download } = await import('./download.ts');
    const name = await download(subgraph, datasetId, options.output, abort);
    if (options.output !== STDOUT) await print(`${name}\n`, signal);
    return exitCode.complete;
  }
  const output = options.output === STDOUT ? undefined : options.output;
  const format = output === undefined || options.csv || options.json ? undefined : fileFormatOf(output);
  if (output !== undefined && format !== undefined) {
    const { from, to, asset, metric } = options;
    const contents = contentsOf(options);
    const file = { format, contents, assetIds: [...new Set(asset)], metrics: [...new Set(metric)], from, to };
    const { downloadResults } = await import('./download.ts');
    await print(`${await downloadResults(subgraph, datasetId, file, output, abort)}\n`, signal);
    return exitCode.complete;
  }
  const form = formOf(options);
  const question: Question = {
    datasetId,
    assetIds: [...new Set(options.asset)],
    metrics: [...new Set(options.metric)],
    from: options.from,
    to: options.to,
    description: form === 'overview' || form === 'json',
    values: valuesOf(options, form),
  };
  // Fail before the request if the file cannot be saved.
  if (output !== undefined) await assertAbsent(output);
  const response = await askGraphQL(subgraph, question, { ...abort, rootFields: rootFieldsOf(settings.SCHEMA_NAMES) });
  const { something, missing, hidden } =
    output === undefined
      ? await show(response, form, question, { display, write: (chunk) => print(chunk, signal) })
      : await save(output, response, form, question, signal);
  for (const message of [...response.errors, ...missing, ...hidden, ...hints(response, question, options, settings)])
    say(message);
  const isPartial = response.errors.length + missing.length > 0;
  if (something) return isPartial ? exitCode.partial : exitCode.complete;
  if (!isPartial) say('Nothing was found.');
  return response.failure;
}

/** Shows a response in a new file, and prints its name. There is no file if there is nothing to show. */
async function save(
  path: string,
  response: GraphQLResponse,
  form: Form,
  question: Question,
  signal: AbortSignal,
): Promise<Shown> {
  let shown: Shown | undefined;
  await saveFile(path, signal, async (file) => {
    const write = (chunk: string | Uint8Array) => {
      signal.throwIfAborted();
      return file.appendFile(chunk);
    };
    shown = await show(response, form, question, { display: fileDisplay, write });
    return shown.something;
  });
  if (shown === undefined) throw new Error('Nothing was shown.');
  if (shown.something) await print(`${path}\n`, signal);
  return shown;
}

/** What the user can do about a missing token, and about a dataset without results. */
function hints(
  { dataset, failure }: GraphQLResponse,
  question: Question,
  options: AskOptions,
  settings: AskSettings,
): string[] {
  if (dataset === undefined && failure === exitCode.notAllowed && !hasToken(options, settings)) return [NO_TOKEN];
  const nodes = dataset?.member('results', 'series', 'nodes');
  const isFiltered = [question.assetIds.length > 0, question.from, question.to].some(Boolean);
  if (nodes === undefined || isFiltered || nodes.elements().next().done === false) return [];
  return ['The dataset has no results. If it is a static dataset, --download saves its file.'];
}

const NO_TOKEN = `No token was given. Set DATASET_TOKEN, or use --token-file; "${LOGIN}" gets a token, and the demo prints its own.`;

function hasToken({ tokenFile }: AskOptions, { DATASET_TOKEN }: AskSettings): boolean {
  return tokenFile !== undefined || DATASET_TOKEN !== undefined;
}

function formOf({ json, csv, every, statistics, metric = [] }: AskOptions): Form {
  if (json) return 'json';
  if (csv) return 'csv';
  if (every !== undefined || statistics) return 'tables';
  return metric.length > 0 ? 'charts' : 'overview';
}

/** What a file of results has: rows, or what is computed from them. */
function contentsOf({ every, statistics, layout = 'wide' }: AskOptions): FileContents {
  if (every !== undefined) return { of: 'periods', every };
  return statistics ? { of: 'statistics' } : { layout };
}

function valuesOf({ every, statistics, points }: AskOptions, form: Form): Values | undefined {
  if (form === 'overview') return undefined;
  if (every !== undefined) return { kind: 'periods', every };
  return statistics ? { kind: 'statistics' } : { kind: 'columns', points };
}
