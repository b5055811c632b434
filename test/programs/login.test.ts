import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, startService } from '../support/harness.ts';
import { type Ending, PROJECT, type Program, startAtTerminal, startEntry, startProgram } from '../support/process.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';
const TOKEN = 'token-of-anna';
const credentials = { LOGIN_EMAIL: EMAIL, LOGIN_PASSWORD: PASSWORD };

const login = (AUTH_SERVICE_URL: string, env: Record<string, string> = credentials) =>
  startEntry('login', { AUTH_SERVICE_URL, ...env }).ended;

const startAuth = () => startService({ accounts: [{ email: EMAIL, password: PASSWORD, token: TOKEN }] });

/** One sentence on standard error is all that a login without a token prints. */
function expectFailure(ending: Ending, sentence: string): void {
  expect(ending).toEqual({ code: 1, signal: null, stdout: '', stderr: `${sentence}\n` });
}

/*
 * Clause 3.24 of docs/contract.md in detail.
 * `npm run login` asks for the e-mail and, without echo, the password, or reads `LOGIN_EMAIL` and `LOGIN_PASSWORD`. It
 * prints only the token on standard output (`npm run --silent login` for scripts).
 */
describe('3.24 npm run login', () => {
  it('with LOGIN_EMAIL and LOGIN_PASSWORD prints the token alone', async () => {
    const auth = await startAuth();
    expect(await login(auth.url)).toEqual({ code: 0, signal: null, stdout: `${TOKEN}\n`, stderr: '' });
    expect(auth.requests.map(({ method, target, body }) => [method, target, JSON.parse(body)])).toEqual([
      ['POST', '/v3/login', { email: EMAIL, password: PASSWORD }],
    ]);
    expect(auth.requests[0]?.headers['content-type']).toEqual(['application/json']);
  });

  it('prints the token alone for scripts: npm run --silent login', async () => {
    const auth = await startAuth();
    const env = { AUTH_SERVICE_URL: auth.url, ...credentials };
    const program = startProgram('npm', ['run', '--silent', 'login'], { env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `${TOKEN}\n`, stderr: '' });
  });

  it('ends quietly and well when nobody reads its output', async () => {
    const auth = await startAuth();
    const env = { AUTH_SERVICE_URL: auth.url, ...credentials };
    const command = `npm run --silent login | true; echo "\${PIPESTATUS[0]}"`;
    const program = startProgram('bash', ['-c', command], { env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: '0\n', stderr: '' });
  });

  it('keeps the path prefix of AUTH_SERVICE_URL and ignores a slash at its end', async () => {
    const auth = await startAuth();
    auth.intercept(() => ({ status: 200, body: '{"token":"prefixed"}' }));
    expect(await login(`${auth.url}/prefix/`)).toMatchObject({ code: 0, stdout: 'prefixed\n' });
    expect(auth.requests.map(({ target }) => target)).toEqual(['/prefix/v3/login']);
  });

  it('relies on nothing in the response but its token', async () => {
    const auth = await startAuth();
    const body = '{"user":{"token":"inner"},"token":"t.~+/=","expires":null}';
    auth.intercept(() => ({ headers: { 'content-type': 'text/plain' }, body }));
    expect(await login(auth.url)).toMatchObject({ code: 0, stdout: 't.~+/=\n' });
  });
});

describe('3.24 A login that gives no token', () => {
  it('says that the password is wrong', async () => {
    const auth = await startAuth();
    const ending = await login(auth.url, { ...credentials, LOGIN_PASSWORD: 'wrong' });
    expectFailure(ending, 'The login service rejected the e-mail address or password.');
  });

  const noToken = 'The login service sent a response without a token.';
  const echo = JSON.stringify({ email: EMAIL, password: PASSWORD });
  it.each([
    ['without a token', { body: echo }, noToken],
    ['with a token that is no text', { body: '{"token":1}' }, noToken],
    ['with an empty token', { body: '{"token":""}' }, noToken],
    ['with a token of two lines', { body: '{"token":"a\\nb"}' }, noToken],
    ['that is not JSON', { body: `<p>${PASSWORD}</p>` }, noToken],
    ['that is empty', { body: '' }, noToken],
    ['that is null', { body: 'null' }, noToken],
    ['with another status', { status: 500, body: echo }, 'The login service rejected the login with status 500.'],
    ['that is cut off', { cutAfterBytes: 3 }, 'The login service cannot be reached.'],
    ['that never comes', { reset: true }, 'The login service cannot be reached.'],
  ])('says so of a response %s', async (_title, fault, sentence) => {
    const auth = await startAuth();
    auth.intercept(() => fault);
    expectFailure(await login(auth.url), sentence);
  });

  it('says that the service cannot be reached', async () => {
    expectFailure(await login('http://127.0.0.1:9'), 'The login service cannot be reached.');
  });

  it('does not follow a redirect', async () => {
    const [auth, elsewhere] = [await startAuth(), await startAuth()];
    auth.intercept(() => ({ status: 307, headers: { location: `${elsewhere.url}/v3/login` } }));
    expectFailure(await login(auth.url), 'The login service rejected the login with status 307.');
    expect(elsewhere.requests).toEqual([]);
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
    expectFailure(await program.ended, '20000 ms\nThe login service took too long to respond.');
  });

  it('asks for AUTH_SERVICE_URL', async () => {
    const { ended } = startEntry('login', credentials);
    expectFailure(await ended, 'AUTH_SERVICE_URL must be set to the URL of the login service.');
  });

  it.each([
    ['neither', {}],
    ['LOGIN_EMAIL alone', { LOGIN_EMAIL: EMAIL }],
    ['LOGIN_PASSWORD alone', { LOGIN_PASSWORD: PASSWORD }],
  ])('asks for both variables where there is no terminal, given %s', async (_title, env) => {
    const auth = await startAuth();
    const sentence = 'LOGIN_EMAIL and LOGIN_PASSWORD must be set, because there is no terminal for a prompt.';
    expectFailure(await login(auth.url, env), sentence);
    expect(auth.requests).toEqual([]);
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

  it('asks only for what is not set', async () => {
    const auth = await startAuth();
    const { printed, type, ended, stdout } = await loginAtTerminal({
      AUTH_SERVICE_URL: auth.url,
      LOGIN_PASSWORD: PASSWORD,
    });
    await printed(/E-mail/);
    type(`${EMAIL}\r`);
    const { stdout: screen } = await ended;
    expect(screen).not.toContain('Password');
    expect(await stdout()).toBe(`${TOKEN}\n`);
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
