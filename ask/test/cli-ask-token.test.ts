import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAuthority } from '../../test/programs/certificates.ts';
import { startSecure } from '../../test/programs/secure-server.ts';
import { ask, askAtTerminal, startAsk } from './ask.ts';
import { co2, complete, emptyDirectory, failed, SAYS_READY, serve, startDemo } from './cli-ask.ts';

describe('The token of ask', () => {
  it.each([
    ['a file of Windows', 'demo-token\r\n', true],
    ['a file without the end of a line', 'demo-token', true],
    ['standard input', 'demo-token\n', false],
  ])('comes from %s, before that of the environment', async (_title, content, inFile) => {
    const bed = await startDemo();
    const file = inFile ? join((await emptyDirectory()).cwd, 'token') : '-';
    if (inFile) await writeFile(file, content);
    const program = startAsk(bed, [co2, '--token-file', file], { token: 'wrong' });
    if (!inFile) program.type(content, { last: true });
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(bed.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
      ['Bearer demo-token'],
      ['Bearer demo-token'],
    ]);
  });

  it.each([
    ['is empty', ''],
    ['has two lines', 's3cret\ns3cret\n'],
    ['has a space', 's3cret two'],
  ])('is refused where the file %s, and not shown', async (_title, content) => {
    const bed = await startDemo();
    const file = join((await emptyDirectory()).cwd, 'token');
    await writeFile(file, content);
    expect(await ask(bed, [co2, '--token-file', file])).toEqual(
      failed(2, `The token file ${file} must contain only a token of 1 to 12000 visible ASCII characters.`),
    );
    expect(bed.calls()).toEqual([]);
  });

  it('is asked for where there is none', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [co2, '--token-file', '/nowhere/token'])).toEqual(
      failed(2, 'The token file /nowhere/token cannot be read (ENOENT).'),
    );
    expect(await ask(bed, [co2], { token: null })).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^dataset-subgraph: The dataset service needs a valid bearer token in the Authorization header\. \(UNAUTHENTICATED, request [\w-]+\) At dataset\.\ndataset-subgraph: No token was given\. Set DATASET_TOKEN, or use --token-file; "dataset-subgraph login" gets a token, and the demo prints its own\.\n$/,
      ),
    });
    // A token that was given is another matter.
    const { stderr: rejected } = await ask(bed, [co2], { token: 'wrong' });
    expect(rejected).toMatch(/UNAUTHENTICATED/);
    expect(rejected).not.toContain('No token was given');
  });

  it('is waited for on standard input until Ctrl-C', async () => {
    const program = askAtTerminal('http://127.0.0.1:9', ['x', '--token-file', '-'], { env: SAYS_READY });
    await program.printed(/ready/);
    program.type('\x03');
    expect(await program.ended).toMatchObject({ code: 130, stdout: expect.not.stringContaining('dataset-subgraph') });
  });

  it('goes to no other server: a redirect is not followed', async () => {
    const visitors: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      visitors.push(request.headers);
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await ask(url, ['x'], { token: 's3cret' })).toEqual(
      failed(1, 'The response is a redirect (307), which is not followed.'),
    );
    expect(visitors).toEqual([]);
  });
});

describe('ask at an endpoint whose path begins with two slashes', () => {
  it.each([
    ['//graphql', ['x', '--json'], '//graphql'],
    ['//', ['x', '--json'], '//'],
    ['//elsewhere/graphql', ['x', '--download', '--output', 'no.csv'], '//elsewhere/download/dataset/x'],
  ])('sends the token to the host of its URL, and to no other: %s %j', async (path, options, target) => {
    const visitors: unknown[] = [];
    const url = await serve(({ url, headers }, response) => {
      visitors.push([url, headers.authorization]);
      response.writeHead(404).end();
    });
    expect(await ask(new URL(url).origin + path, options)).toMatchObject({ code: 4, stdout: '' });
    expect(visitors).toEqual([[target, 'Bearer demo-token']]);
  });
});

describe('ask over TLS', () => {
  it('sends the token to the subgraph that its certificate names, and to no other', async () => {
    const authority = await makeAuthority('Test');
    const body = '{"data":{"dataset":{"id":"x","name":"n","results":null}}}';
    const server = await startSecure(await authority.sign({ host: 'localhost' }), (_, response) => response.end(body));
    const url = `${server.url}/graphql`;
    expect(await ask(url, ['x', '--json'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^dataset-subgraph: The subgraph at \S+ cannot be reached \(UNABLE_TO_\w+\)\.\n$/),
    });
    expect(server.requests).toEqual([]);
    const file = join((await emptyDirectory()).cwd, 'authority.pem');
    await writeFile(file, authority.cert);
    const ending = await startAsk(url, ['x', '--json'], { env: { NODE_EXTRA_CA_CERTS: file } }).ended;
    expect(ending).toEqual(complete('{"dataset":{"id":"x","name":"n","results":null}}\n'));
    expect(server.requests).toEqual(['POST /graphql Bearer demo-token']);
  });
});
