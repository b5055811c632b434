import { constants, type WriteStream } from 'node:fs';
import { copyFile, link, lstat, open, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type HttpResponse, responseFailure, type Subgraph, send } from './client.ts';
import { exitCode, Failure } from './failure.ts';
import { fileNameOf } from './file-name.ts';
import { startProgress } from './progress.ts';

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
  const response = await send(subgraph, { method: 'GET', path: downloadPath(subgraph.url, datasetId) }, signal);
  if (response.status !== 200) throw await responseFailure(response);
  const path = output ?? fileNameOf(response.headers['content-disposition'], datasetId);
  await assertAbsent(path);
  const part = `${path}.part`;
  const file = await open(part, 'wx').catch((error) => {
    throw saveError(error, part);
  });
  try {
    await receive(response, file.createWriteStream(), unicode).catch((error) => {
      throw signal.aborted ? error : saveError(error, path);
    });
    await moveWithoutReplacing(part, path);
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
  return path;
}

/** The path of a dataset's file: next to the GraphQL endpoint, so that only one host gets the token. */
function downloadPath({ pathname }: URL, datasetId: string): string {
  return `${pathname.slice(0, pathname.lastIndexOf('/'))}/download/dataset/${encodeURIComponent(datasetId)}`;
}

async function receive({ body, length }: HttpResponse, file: WriteStream, unicode: boolean) {
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

/** Creates a link, because a rename would replace an existing file. Some file systems have no links: there it copies. */
async function moveWithoutReplacing(part: string, path: string): Promise<void> {
  try {
    await link(part, path).catch((error) => {
      if (error.code === 'EEXIST') throw error;
      return copyFile(part, path, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    throw saveError(error, path);
  }
  await unlink(part);
}

async function assertAbsent(path: string): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw saveError(error, path);
  });
  if (existing !== undefined) throw existsFailure(path);
}

function existsFailure(path: string): Failure {
  return new Failure(
    exitCode.failed,
    `${path} already exists and is not overwritten; use --output to set another name.`,
  );
}

/** The failure for an error of the file system; other errors as they are. */
function saveError(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || syscall === undefined) return error;
  if (code === 'EEXIST') {
    return path.endsWith('.part')
      ? new Failure(exitCode.failed, `${path} already exists: another download is running, or was killed.`)
      : existsFailure(path);
  }
  return new Failure(exitCode.failed, `${path} cannot be written (${code}).`);
}
