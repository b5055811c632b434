// Runs a program until its standard input is closed, as the system does for whoever has started this and is gone, however
// that came about. Prints the number of the program's process first.
import { spawn } from 'node:child_process';

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
program.once('close', (code) => process.exit(code ?? 1));
