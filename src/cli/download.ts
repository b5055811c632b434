import { pipeline } from 'node:stream/promises';
import { responseFailure, type Subgraph, send } from './client.ts';
import { fileNameOf } from './file-name.ts';
import { startProgress } from './progress.ts';
import { assertAbsent, saveFile } from './saved-file.ts';

/**
 * Saves the file of a static dataset. It never overwrites a file. An incomplete file ends in `.part`, and is removed if the
 * download fails.
 *
 * @param output the path to save to; by default the service's name for the file, in the working directory
 * @returns the path of the file
 * @throws Failure when there is no file, or it cannot be saved
 */
export async function download(
  subgraph: Subgraph,
  datasetId: string,
  output: string | undefined,
  { signal, unicode }: { signal: AbortSignal; unicode: boolean },
): Promise<string> {
  // Fail before the request if the file cannot be saved.
  if (output !== undefined) await assertAbsent(output);
  const progress = await startProgress(unicode);
  try {
    const response = await send(subgraph, { method: 'GET', path: downloadPath(subgraph.url, datasetId) }, signal);
    if (response.status !== 200) throw await responseFailure(response);
    const path = output ?? fileNameOf(response.headers['content-disposition'], datasetId);
    await saveFile(path, signal, async (file) => {
      progress.receive('Downloading', response.length);
      await pipeline(async function* () {
        for await (const chunk of response.body) {
          progress.add(chunk.length);
          yield chunk;
        }
      }, file.createWriteStream());
      return true;
    });
    return path;
  } finally {
    progress.stop();
  }
}

/** The path of a dataset's file: next to the GraphQL endpoint, so that only one host gets the token. */
function downloadPath({ pathname }: URL, datasetId: string): string {
  return `${pathname.slice(0, pathname.lastIndexOf('/'))}/download/dataset/${encodeURIComponent(datasetId)}`;
}
