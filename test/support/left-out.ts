import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * What a run leaves out because a program cannot be had on every machine. Each part adds a line to a file, and the run prints
 * the new lines at its end: this file is a `globalSetup` of the suites that have such parts.
 */

const FILE = fileURLToPath(new URL('../../.cache/left-out.txt', import.meta.url));

/** What programs need that exist for one platform alone; undefined on that. */
export const linuxOnX64 =
  process.platform === 'linux' && process.arch === 'x64' ? undefined : 'Linux on x64, the only platform of its program';

/** What buildah needs, whose isolation by chroot, which works everywhere, needs root; undefined if it is there. */
export const rootOnLinux = process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'root on Linux';

/**
 * Whether a part of a suite is tested. Without what it needs it is left out, and the run says so.
 *
 * @param needs what it needs and does not have; undefined if it has all
 */
export function isTested(part: string, needs: string | undefined): boolean {
  if (needs === undefined) return true;
  mkdirSync(dirname(FILE), { recursive: true });
  appendFileSync(FILE, `LEFT OUT: ${part} (needs ${needs})\n`);
  return false;
}

function read(): string {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
}

/** Prints what this run leaves out, when it ends. */
export default function printLeftOut(): () => void {
  const before = read().length;
  return () => {
    for (const line of new Set(read().slice(before).split('\n'))) if (line !== '') console.warn(line);
  };
}
