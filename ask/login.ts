import '../src/node-version.cjs';
import input from '@inquirer/input';
import password from '@inquirer/password';
import { routeOf } from '../src/config.ts';
import { printText } from '../src/output.ts';
import { LoginError, login } from '../src/rest/login.ts';
import { run, UsageError } from '../src/run.ts';
import { readLoginSettings } from './src/settings.ts';

// Aborts a prompt when its terminal has closed: nothing else would settle it.
const closed = new AbortController();
process.once('beforeExit', () => closed.abort());

// Prompts go to standard error: standard output contains only the token.
const terminal = { output: process.stderr, signal: closed.signal };

await run(async () => {
  const settings = readLoginSettings(process.env);
  const { AUTH_SERVICE_URL, LOGIN_EMAIL, LOGIN_PASSWORD } = settings;
  if (AUTH_SERVICE_URL === undefined) {
    throw new UsageError('AUTH_SERVICE_URL must be set to the URL of the login service.');
  }
  const needsTerminal = LOGIN_EMAIL === undefined || LOGIN_PASSWORD === undefined;
  if (needsTerminal && !process.stdin.isTTY) {
    throw new UsageError('LOGIN_EMAIL and LOGIN_PASSWORD must be set, because there is no terminal for a prompt.');
  }
  try {
    const email = LOGIN_EMAIL ?? (await input({ message: 'E-mail', required: true }, terminal));
    const secret = LOGIN_PASSWORD ?? (await password({ message: 'Password', toggleMask: false }, terminal));
    printText(`${await login(AUTH_SERVICE_URL, email, secret, routeOf(settings))}\n`);
  } catch (error) {
    if (error instanceof LoginError) throw new UsageError(error.message);
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw new UsageError('The login was cancelled.');
    }
    throw error;
  }
});
