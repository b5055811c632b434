import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS } from './programs/folder.ts';

const INSTALL_MS = 300_000;
const PROGRESS_MS = 5_000;

/** Installs the gateways from their lockfile, unless they are installed. Reports progress. */
export default async function install(): Promise<void> {
  const packages = join(PROGRAMS, 'node_modules');
  // npm ci deletes this file together with the packages.
  const mark = join(packages, '.installed');
  const lockfile = readFileSync(join(PROGRAMS, 'package-lock.json'), 'utf8');
  const expected = createHash('sha256').update(lockfile).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === expected) return;
  const folders = Object.keys(JSON.parse(lockfile).packages).filter((folder) => folder !== '');
  console.info('installing the gateways: npm ci in test/supergraph/programs (about 800 MB)');
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: PROGRAMS,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: INSTALL_MS,
  });
  const kill = () => npm.kill();
  process.once('exit', kill);
  const progress = setInterval(() => {
    const installed = folders.filter((folder) => existsSync(join(PROGRAMS, folder, 'package.json')));
    console.info(`installing the gateways: ${installed.length} of ${folders.length} packages`);
  }, PROGRESS_MS);
  const [code] = await once(npm, 'close');
  clearInterval(progress);
  process.off('exit', kill);
  if (code !== 0) throw new Error('npm ci in test/supergraph/programs failed.');
  writeFileSync(mark, expected);
}
