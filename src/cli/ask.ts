import { ZodError } from 'zod';
import type { Config } from '../config.ts';
import { isDatasetId } from '../core/dataset-id.ts';
import type { Subgraph } from './client.ts';
import { type ExitCode, exitCode, Failure } from './failure.ts';
import { askGraphQL, unreadable } from './graphql-response.ts';
import { JsonError } from './json-view.ts';
import { endWithReader, print, say } from './output.ts';
import type { Question } from './question.ts';
import { type Form, show } from './show.ts';
import { displayOf } from './terminal.ts';
import { readToken } from './token.ts';

/** The command-line options of `ask`. */
export interface AskOptions {
  readonly url?: URL;
  readonly tokenFile?: string;
  readonly asset?: readonly string[];
  readonly metric?: readonly string[];
  readonly from?: Date;
  readonly to?: Date;
  readonly json?: true;
  readonly csv?: true;
  readonly download?: true;
  readonly output?: string;
}

/** Signals that end the command, with their numbers. The exit code is 128 plus the number, as in shells. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Runs `ask`: writes data to standard output and messages to standard error, and sets the exit code. */
export async function ask(datasetId: string, options: AskOptions, config: Config): Promise<void> {
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
    const code = await run(datasetId, options, config, interrupted.signal);
    process.exitCode ??= code;
  } catch (error) {
    if (interrupted.signal.aborted) process.exit();
    const failure = error instanceof JsonError || error instanceof ZodError ? unreadable() : error;
    if (!(failure instanceof Failure)) throw failure;
    say(failure.message);
    process.exitCode = failure.exitCode;
  }
}

async function run(datasetId: string, options: AskOptions, config: Config, signal: AbortSignal): Promise<ExitCode> {
  if (!isDatasetId(datasetId)) {
    throw new Failure(exitCode.usage, 'A dataset id must have 1 to 200 characters and no control characters.');
  }
  if (options.from !== undefined && options.to !== undefined && options.from > options.to) {
    throw new Failure(exitCode.usage, '--from must not be later than --to.');
  }
  const display = displayOf(process.stdout, config);
  const token = options.tokenFile === undefined ? config.DATASET_TOKEN : await readToken(options.tokenFile, signal);
  const subgraph: Subgraph = { url: endpointOf(options.url ?? config.DATASET_SUBGRAPH_URL), token };
  const abort = { signal, unicode: display.unicode };
  if (options.download) {
    const { download } = await import('./download.ts');
    await print(`${await download(subgraph, datasetId, options.output, abort)}\n`, signal);
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
    values: form !== 'overview',
  };
  const response = await askGraphQL(subgraph, question, abort);
  const { something, missing, hidden } = await show(response, form, question, { display, signal });
  for (const message of [...response.errors, ...missing, ...hidden]) say(message);
  const isPartial = response.errors.length + missing.length > 0;
  if (something) return isPartial ? exitCode.partial : exitCode.complete;
  if (!isPartial) say('Nothing was found.');
  return response.failure;
}

function formOf({ json, csv, metric = [] }: AskOptions): Form {
  if (json) return 'json';
  if (csv) return 'csv';
  return metric.length > 0 ? 'charts' : 'overview';
}

/** The GraphQL endpoint: `/graphql` if the URL has no path. */
function endpointOf(url: URL): URL {
  return url.pathname === '/' ? new URL('/graphql', url) : url;
}
