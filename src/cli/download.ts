import { constants, type WriteStream } from 'node:fs';
import { copyFile, link, lstat, open, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Answer, refusalOf, type Subgraph, send } from './client.ts';
import { exitCode, Failure } from './failure.ts';
import { fileNameOf } from './file-name.ts';
import { startProgress } from './progress.ts';

/**
 * Saves the file of a static dataset, which the subgraph hands on beside its GraphQL. A file that is there is never
 * touched; until the new one is complete it has the ending `.part`, and it goes away if it never is.
 *
 * @param output the file's path; undefined: the name that the service gives it, in the working directory
 * @returns the path of the file
 * @throws Failure when there is no file, or it cannot be saved
 */
export async function download(
  subgraph: Subgraph,
  datasetId: string,
  output: string | undefined,
  { signal, unicode }: { signal: AbortSignal; unicode: boolean },
): Promise<string> {
  // What cannot be saved anyway need not be asked for.
  if (output !== undefined) await refuseExisting(output);
  const response = await send(subgraph, { method: 'GET', path: downloadPath(subgraph.url, datasetId) }, signal);
  if (response.status !== 200) throw await refusalOf(response);
  const path = output ?? fileNameOf(response.headers['content-disposition'], datasetId);
  await refuseExisting(path);
  const part = `${path}.part`;
  const file = await open(part, 'wx').catch((error) => {
    throw saving(error, part);
  });
  try {
    await receive(response, file.createWriteStream(), unicode).catch((error) => {
      throw signal.aborted ? error : saving(error, path);
    });
    await moveWithoutReplacing(part, path);
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
  return path;
}

/** Where the subgraph hands on a dataset's file: beside `/graphql`, so that the token stays where GraphQL is asked. */
function downloadPath({ pathname }: URL, datasetId: string): string {
  return `${pathname.slice(0, pathname.lastIndexOf('/'))}/download/dataset/${encodeURIComponent(datasetId)}`;
}

async function receive({ body, length }: Answer, file: WriteStream, unicode: boolean) {
  const progress = await startProgress('Downloading', length, unicode);
  try {
    await pipeline(async function* () {
      for await (const chunk of body) {
        progress.add(chunk.length);
        yield chunk;
      }
    }, file);
  } finally {
    progress.stop();
  }
}

/** Private. A link, unlike a rename, fails where the name is taken. Some file systems have none. */
async function moveWithoutReplacing(part: string, path: string): Promise<void> {
  try {
    await link(part, path).catch((error) => {
      if (error.code === 'EEXIST') throw error;
      return copyFile(part, path, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    throw saving(error, path);
  }
  await unlink(part);
}

async function refuseExisting(path: string): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw saving(error, path);
  });
  if (existing !== undefined) throw taken(path);
}

function taken(path: string): Failure {
  return new Failure(
    exitCode.failed,
    `${path} is there already, and is not overwritten; --output chooses another name.`,
  );
}

/** Private. */
function saving(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || syscall === undefined) return error;
  if (code === 'EEXIST') {
    return path.endsWith('.part')
      ? new Failure(exitCode.failed, `${path} is there already: another download is under way, or was killed.`)
      : taken(path);
  }
  return new Failure(exitCode.failed, `${path} cannot be written (${code}).`);
}
