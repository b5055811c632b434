// Runs a program until its standard input is closed, as the system does for whoever has started this and is gone, however
// that came about. Prints the number of the program's process first. Ends with its exit code, which is 128 and the number of
// the signal if one has ended it, as in a shell.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const [command = '', ...args] = process.argv.slice(2);
const program = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
console.info(`process ${program.pid}`);
const end = () => program.kill('SIGKILL');
process.stdin.resume().once('close', end);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
program.once('error', (error) => {
  console.error(String(error));
  process.exit(1);
});
program.once('close', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
