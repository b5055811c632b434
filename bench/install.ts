import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const INSTALL_MS = 180_000;

/** Installs the packages of bench/ordinary from its lockfile, unless they are installed and the lockfile is older. */
export async function installOrdinary(say: (line: string) => void): Promise<void> {
  const folder = new URL('ordinary/', import.meta.url);
  const writtenAt = (file: string) => statSync(new URL(file, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes this file last.
  if (writtenAt('node_modules/.package-lock.json') >= writtenAt('package-lock.json')) return;
  say('installing the ordinary subgraph: npm ci in bench/ordinary');
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: INSTALL_MS,
  });
  process.once('exit', () => npm.kill());
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error('npm ci in bench/ordinary failed.');
}
