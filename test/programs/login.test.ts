import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { listen, startService } from '../support/harness.ts';
import { PROJECT, type Program, startAtTerminal, startProgram } from '../support/process.ts';
import { runPrograms } from './config.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';
const TOKEN = 'token-of-anna';
const credentials = { LOGIN_EMAIL: EMAIL, LOGIN_PASSWORD: PASSWORD };

const startAuth = () => startService({ accounts: [{ email: EMAIL, password: PASSWORD, token: TOKEN }] });
type Auth = Awaited<ReturnType<typeof startAuth>>;

/** A login service that answers so. */
async function answering(fault: Parameters<Auth['intercept']>[0]): Promise<Auth> {
  const auth = await startAuth();
  auth.intercept(fault);
  return auth;
}

/** What logins print, in one process. */
async function login(...environments: Record<string, string>[]): Promise<{ stdout: string; stderr: string }[]> {
  const { began } = await runPrograms(environments.map((env) => ({ entry: 'login', env: { ...credentials, ...env } })));
  for (const { code, stdout } of began) expect(code).toBe(stdout === '' ? 1 : null);
  return began.map(({ stdout, stderr }) => ({ stdout, stderr }));
}

/*
 * Clause 3.24 of docs/contract.md in detail.
 * `npm run login` asks for the e-mail and, without echo, the password, or reads `LOGIN_EMAIL` and `LOGIN_PASSWORD`. It
 * prints only the token on standard output (`npm run --silent login` for scripts).
 */
describe('3.24 npm run login', () => {
  it('prints the token alone for scripts: npm run --silent login', async () => {
    const auth = await startAuth();
    const env = { AUTH_SERVICE_URL: auth.url, ...credentials };
    const program = startProgram('npm', ['run', '--silent', 'login'], { env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `${TOKEN}\n`, stderr: '' });
    expect(auth.requests.map(({ method, target, body }) => [method, target, JSON.parse(body)])).toEqual([
      ['POST', '/v3/login', { email: EMAIL, password: PASSWORD }],
    ]);
    expect(auth.requests[0]?.headers['content-type']).toEqual(['application/json']);
  });

  it('keeps the path prefix of AUTH_SERVICE_URL, and relies on nothing in the response but its token', async () => {
    const body = '{"user":{"token":"inner"},"token":"t.~+/=","expires":null}';
    const auth = await answering(() => ({ status: 200, headers: { 'content-type': 'text/plain' }, body }));
    expect(await login({ AUTH_SERVICE_URL: `${auth.url}/prefix/` })).toEqual([{ stdout: 't.~+/=\n', stderr: '' }]);
    expect(auth.requests.map(({ target }) => target)).toEqual(['/prefix/v3/login']);
  });
});

describe('3.22, 3.24 A login that gives no token', () => {
  it('says why, in one sentence, and nothing that it has sent or received', async () => {
    const [auth, elsewhere] = [await startAuth(), await startAuth()];
    const echo = JSON.stringify({ email: EMAIL, password: PASSWORD });
    const location = `${elsewhere.url}/v3/login`;
    const noHttp = await listen((socket) => void socket.end(`${PASSWORD}\r\n\r\n`));
    const noToken = 'The login service sent a response without a token.';
    const unreachable = 'The login service cannot be reached.';
    const unset = 'LOGIN_EMAIL and LOGIN_PASSWORD must be set, because there is no terminal for a prompt.';
    const faulty = async (sentence: string, fault: Fault): Promise<[Record<string, string>, string]> => [
      { AUTH_SERVICE_URL: (await answering(() => fault)).url },
      sentence,
    ];
    const cases: [env: Record<string, string>, sentence: string][] = [
      [
        { AUTH_SERVICE_URL: auth.url, LOGIN_PASSWORD: 'wrong' },
        'The login service rejected the e-mail address or password.',
      ],
      await faulty(noToken, { body: echo }),
      await faulty(noToken, { body: '{"token":1}' }),
      await faulty(noToken, { body: '{"token":""}' }),
      await faulty(noToken, { body: '{"token":"a\\nb"}' }),
      await faulty(noToken, { body: `<p>${PASSWORD}</p>` }),
      await faulty(noToken, { body: '' }),
      await faulty(noToken, { body: 'null' }),
      await faulty(noToken, { headers: { 'content-encoding': 'gzip' }, body: echo }),
      await faulty('The login service rejected the login with status 500.', { status: 500, body: echo }),
      await faulty('The login service rejected the login with status 307.', { status: 307, headers: { location } }),
      await faulty(unreachable, { cutAfterBytes: 3 }),
      await faulty(unreachable, { reset: true }),
      [{ AUTH_SERVICE_URL: noHttp }, unreachable],
      [{ AUTH_SERVICE_URL: noHttp.replace('http:', 'https:') }, unreachable],
      [{ AUTH_SERVICE_URL: 'http://127.0.0.1:9' }, unreachable],
      [{ AUTH_SERVICE_URL: '' }, 'AUTH_SERVICE_URL must be set to the URL of the login service.'],
      [{ AUTH_SERVICE_URL: auth.url, LOGIN_EMAIL: '' }, unset],
      [{ AUTH_SERVICE_URL: auth.url, LOGIN_PASSWORD: '' }, unset],
    ];
    expect(await login(...cases.map(([env]) => env))).toEqual(
      cases.map(([, sentence]) => ({ stdout: '', stderr: `${sentence}\n` })),
    );
    expect(elsewhere.requests).toEqual([]);
    expect(auth.requests).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['that does not begin', ''],
    ['that does not end', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"token":'],
  ])('waits 20 s and no longer for a response %s', async (_title, text) => {
    const url = await listen((socket) => socket.write(text));
    // The same twenty seconds, told on standard error and a hundred times as fast.
    const clock = `data:text/javascript,
      const { timeout } = AbortSignal;
      AbortSignal.timeout = (ms) => {
        process.stderr.write(ms + ' ms\\n');
        return timeout.call(AbortSignal, ms / 100);
      };`;
    const program = startProgram(process.execPath, ['--import', clock, 'ask/login.ts'], {
      env: { AUTH_SERVICE_URL: url, ...credentials },
    });
    const stderr = '20000 ms\nThe login service took too long to respond.\n';
    expect(await program.ended).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });
});

describe('3.24 npm run login at a terminal', () => {
  /** The program at a terminal of its own, its standard output in a file. */
  async function loginAtTerminal(env: Record<string, string>): Promise<Program & { stdout(): Promise<string> }> {
    const directory = await mkdtemp(join(tmpdir(), 'login-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'stdout');
    const command = `exec npm --prefix '${PROJECT}' run --silent login > '${file}'`;
    const program = startAtTerminal(command, { env });
    return { ...program, stdout: () => readFile(file, 'utf8') };
  }

  it('asks for both, shows no password, and prints the token alone', async () => {
    const auth = await startAuth();
    const { printed, type, ended, stdout } = await loginAtTerminal({ AUTH_SERVICE_URL: auth.url });
    await printed(/E-mail/);
    type(`${EMAIL}\r`);
    await printed(/Password/);
    type(`${PASSWORD}\r`);
    const { code, stdout: screen } = await ended;
    expect(await stdout()).toBe(`${TOKEN}\n`);
    expect(code).toBe(0);
    expect(screen).toContain(EMAIL);
    expectHidden(screen);
    expect(auth.requests.map(({ body }) => JSON.parse(body))).toEqual([{ email: EMAIL, password: PASSWORD }]);
  });

  it('has no key that makes the password visible', async () => {
    const auth = await startAuth();
    const { printed, type, ended, stdout } = await loginAtTerminal({ AUTH_SERVICE_URL: auth.url, LOGIN_EMAIL: EMAIL });
    await printed(/Password/);
    type(`${PASSWORD}\x14\t\r`);
    const { stdout: screen } = await ended;
    expectHidden(screen);
    expect(screen).not.toContain('toggle');
    expect(await stdout()).toBe('');
  });

  it.each([
    ['Ctrl-C', `${PASSWORD}\x03`],
    ['Ctrl-D', '\x04'],
  ])('is broken off by %s', async (_key, keys) => {
    const auth = await startAuth();
    const { printed, type, ended, stdout } = await loginAtTerminal({ AUTH_SERVICE_URL: auth.url, LOGIN_EMAIL: EMAIL });
    await printed(/Password/);
    type(keys);
    const { code, stdout: screen } = await ended;
    expect(code).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor
    const lines = screen.replace(/\x1b\[[?\d]*[A-Za-z]/g, '').split(/[\r\n]+/);
    expect(lines.at(-2)).toBe('The login was cancelled.');
    expect(screen).not.toContain('Warning');
    expectHidden(screen);
    expect(await stdout()).toBe('');
    expect(auth.requests).toEqual([]);
  });

  function expectHidden(screen: string): void {
    for (const word of PASSWORD.split(' ')) expect(screen).not.toContain(word);
  }
});
