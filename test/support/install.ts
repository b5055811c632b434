import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of folders from their lockfiles: `node test/support/install.ts FOLDER ...`. What it has installed before stays,
 * as long as the lockfile does.
 */
function install(folder: string): void {
  // npm ci deletes this file together with the packages.
  const mark = join(folder, 'node_modules/.installed');
  const lockfile = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lockfile) return;
  const options = ['--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['ci', ...options], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(mark, lockfile);
}

for (const folder of process.argv.slice(2)) install(folder);
