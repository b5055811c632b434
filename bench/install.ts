import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const INSTALL_MS = 180_000;

/** Installs the packages of the ordinary subgraph from its lockfile, unless they are installed. */
export async function installOrdinary(say: (line: string) => void): Promise<void> {
  const folder = new URL('ordinary/', import.meta.url);
  // npm writes this file last.
  if (existsSync(new URL('node_modules/.package-lock.json', folder))) return;
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
