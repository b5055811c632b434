import { pipeline } from 'node:stream/promises';
import { print } from '../../src/output.ts';
import { responseFailure, type Subgraph, send } from './client.ts';
import type { FileFormat } from './file-format.ts';
import { fileNameOf } from './file-name.ts';
import { startProgress } from './progress.ts';
import type { PeriodUnit } from './question.ts';
import { assertAbsent, STDOUT, saveFile } from './saved-file.ts';

/**
 * Saves the file of a static dataset. It never overwrites a file. An incomplete file ends in `.part`, and is removed if the
 * download fails.
 *
 * @param output the path to save to, or standard output; by default the service's name for the file, in the working directory
 * @returns the path of the file
 * @throws Failure when there is no file, or it cannot be saved
 */
export function download(
  subgraph: Subgraph,
  datasetId: string,
  output: string | undefined,
  abort: Abort,
): Promise<string> {
  return save(subgraph, beside(subgraph.url, 'dataset', datasetId), output, datasetId, abort);
}

/** What a file has, as its URL says it: rows with a layout, or what is computed from them. */
export type FileContents =
  | { readonly layout: 'wide' | 'long' }
  | { readonly of: 'periods'; readonly every: PeriodUnit }
  | { readonly of: 'statistics' };

/** Which results a file has, and how. Without metrics it has all of them. */
export interface ResultsFile {
  readonly format: FileFormat;
  readonly contents: FileContents;
  readonly assetIds: readonly string[];
  readonly metrics: readonly string[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/**
 * Saves results as a file that the subgraph makes, under the same rules as `download`.
 *
 * @throws Failure when there are no results, or they cannot be saved
 */
export function downloadResults(
  subgraph: Subgraph,
  datasetId: string,
  { format, contents, assetIds, metrics, from, to }: ResultsFile,
  output: string,
  abort: Abort,
): Promise<string> {
  const query = new URLSearchParams({ format, ...contents });
  for (const name of metrics) query.append('metric', name);
  for (const id of assetIds) query.append('assetId', id);
  if (from !== undefined) query.append('start', from.toISOString());
  if (to !== undefined) query.append('stop', to.toISOString());
  return save(subgraph, `${beside(subgraph.url, 'results', datasetId)}?${query}`, output, datasetId, abort);
}

interface Abort {
  readonly signal: AbortSignal;
  readonly unicode: boolean;
}

/** Saves the response of a GET. Returns the path of the file. */
async function save(
  subgraph: Subgraph,
  path: string,
  output: string | undefined,
  datasetId: string,
  { signal, unicode }: Abort,
): Promise<string> {
  // Fail before the request if the file cannot be saved.
  if (output !== undefined && output !== STDOUT) await assertAbsent(output);
  const progress = await startProgress(unicode);
  try {
    const response = await send(subgraph, { method: 'GET', path }, signal);
    if (response.status !== 200) throw await responseFailure(response);
    const name = output ?? fileNameOf(response.headers['content-disposition'], datasetId);
    progress.receive('Downloading', response.length);
    const counted = async function* () {
      for await (const chunk of response.body) {
        progress.add(chunk.length);
        yield chunk;
      }
    };
    if (name === STDOUT) for await (const chunk of counted()) await print(chunk, signal);
    else {
      await saveFile(name, signal, async (file) => {
        await pipeline(counted, file.createWriteStream());
        return true;
      });
    }
    return name;
  } finally {
    progress.stop();
  }
}

/** The path of a dataset's file: next to the GraphQL endpoint, so that only one host gets the token. */
function beside({ pathname }: URL, kind: 'dataset' | 'results', datasetId: string): string {
  return `${pathname.slice(0, pathname.lastIndexOf('/'))}/download/${kind}/${encodeURIComponent(datasetId)}`;
}
