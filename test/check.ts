import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { allCommands, commandsFor } from './checks.ts';

/**
 * `npm run check` checks everything that needs no other tools. `npm run check -- --changed` checks what changed since the branch left
 * `main`, and `--since` names another commit. Stops at the first command that fails, with its exit code.
 */
const { changed, since } = parseArgs({
  options: { changed: { type: 'boolean', default: false }, since: { type: 'string', default: 'main' } },
}).values;

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** The files that differ from a commit, those that git does not know yet included, without those that are gone. */
function changedFiles(commit: string): string[] {
  const base = git('merge-base', commit, 'HEAD');
  const names = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return names.flatMap((text) => text.split('\n')).filter((path) => path !== '' && existsSync(path));
}

const commands = changed ? commandsFor(changedFiles(since)) : allCommands();
if (commands.length === 0) console.info(`Nothing changed since ${since}.`);
for (const command of commands) {
  console.info(`\n$ ${command}`);
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
