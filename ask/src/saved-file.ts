import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, unlink } from 'node:fs/promises';
import { exitCode, Failure } from './failure.ts';

/** Standard output, as a path. */
export const STDOUT = '-';

/** @throws Failure when a file is at this path */
export async function assertAbsent(path: string): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw saveError(error, path);
  });
  if (existing !== undefined) throw existsFailure(path);
}

/**
 * Saves a file. It never overwrites one. An incomplete file ends in `.part`, and is removed if anything fails.
 *
 * @param fill writes the content; false if there is nothing to save: then there is no file
 * @param signal after it, what `fill` throws is thrown as it is
 * @throws Failure when the file cannot be saved
 */
export async function saveFile(
  path: string,
  signal: AbortSignal,
  fill: (file: FileHandle) => Promise<boolean>,
): Promise<boolean> {
  await assertAbsent(path);
  const part = `${path}.part`;
  const file = await open(part, 'wx').catch((error) => {
    throw saveError(error, part);
  });
  let isFilled = false;
  try {
    isFilled = await fill(file);
    await file.close();
    if (isFilled) await moveWithoutReplacing(part, path);
  } catch (error) {
    throw signal.aborted ? error : saveError(error, path);
  } finally {
    await file.close().catch(() => {});
    await unlink(part).catch(() => {});
  }
  return isFilled;
}

/** Creates a link, because a rename would replace an existing file. Some file systems have no links: there it copies. */
async function moveWithoutReplacing(part: string, path: string): Promise<void> {
  await link(part, path).catch((error) => {
    if (error.code === 'EEXIST') throw error;
    return copyFile(part, path, constants.COPYFILE_EXCL);
  });
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
