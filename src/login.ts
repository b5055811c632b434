import './node-version.cjs';
import input from '@inquirer/input';
import password from '@inquirer/password';
import { readConfig } from './config.ts';
import { LoginError, login } from './rest/login.ts';
import { run, UsageError } from './run.ts';

// Without it a prompt would wait for a terminal that has ended, with nothing left that could wake it.
const broken = new AbortController();
process.once('beforeExit', () => broken.abort());

// What is asked goes to standard error: standard output is for the token alone.
const terminal = { output: process.stderr, signal: broken.signal };

await run(async () => {
  const { AUTH_SERVICE_URL, LOGIN_EMAIL, LOGIN_PASSWORD } = readConfig(process.env);
  if (AUTH_SERVICE_URL === undefined) {
    throw new UsageError('AUTH_SERVICE_URL must be set to the address of the login service.');
  }
  const needsTerminal = LOGIN_EMAIL === undefined || LOGIN_PASSWORD === undefined;
  if (needsTerminal && !process.stdin.isTTY) {
    throw new UsageError('LOGIN_EMAIL and LOGIN_PASSWORD must be set where there is no terminal to ask at.');
  }
  try {
    const email = LOGIN_EMAIL ?? (await input({ message: 'E-mail', required: true }, terminal));
    const secret = LOGIN_PASSWORD ?? (await password({ message: 'Password', toggleMask: false }, terminal));
    process.stdout.write(`${await login(AUTH_SERVICE_URL, email, secret)}\n`);
  } catch (error) {
    if (error instanceof LoginError) throw new UsageError(error.message);
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw new UsageError('No login: it was broken off.');
    }
    throw error;
  }
});
