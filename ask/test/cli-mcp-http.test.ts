import { describe, expect, it } from 'vitest';
import { blocksOf, names, rowsOf } from '../../test/support/doc-blocks.ts';
import { DATASET_ID, dataset, gate, send, start, TOKEN } from '../../test/support/harness.ts';
import { startProgram } from '../../test/support/process.ts';
import { runCommand } from './ask.ts';
import { answering, co2, failed, serve, startDemo } from './cli-ask.ts';
import { callMessage, connect, connectHttp, revisions, serveMcp, startMcp, textsOf, toolArguments } from './cli-mcp.ts';

const id = DATASET_ID;
const call = callMessage('Metadata', { id });

/** Two accounts whose metadata differ, and the calls of both are held until both have come. */
async function startForTwo() {
  const bed = await start({
    accounts: ['anna', 'bob'].map((name) => ({ email: name, password: name, token: `token-of-${name}` })),
  });
  const { opened, open } = gate();
  let held = 0;
  bed.simulator.intercept(async ({ headers }) => {
    held += 1;
    if (held === 2) open();
    await opened;
    const [name] = headers.authorization ?? [];
    return { body: JSON.stringify({ ...dataset.metadata, name: `seen with ${name}` }) };
  });
  return bed;
}

/** Posts a message as a client of MCP does, with these headers instead. */
const post = (url: URL, headers: Record<string, string | string[]> = {}, body = call) =>
  send(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body,
  });

describe('dataset-subgraph mcp --http', () => {
  it.each(revisions)('sends by %j the token of each client for its own calls only', async (revision) => {
    const bed = await startForTwo();
    const url = await serveMcp(bed);
    const [anna, bob] = await Promise.all(
      ['token-of-anna', 'token-of-bob'].map((token) => connectHttp(url, { token, revision })),
    );
    const results = await Promise.all(
      [anna, bob].map((client) => client?.callTool({ name: 'Metadata', arguments: { id } })),
    );
    expect(results.map((result) => result?.structuredContent)).toMatchObject([
      { dataset: { name: 'seen with Bearer token-of-anna' } },
      { dataset: { name: 'seen with Bearer token-of-bob' } },
    ]);
  });

  it('does not send its own token for a client without one, nor that of the client before', async () => {
    const bed = await start();
    const url = await serveMcp(bed);
    expect((await post(url)).text).toContain(dataset.metadata.name);
    const client = await connectHttp(url, { token: null });
    const result = await client.callTool({ name: 'Metadata', arguments: { id } });
    expect([result.isError, textsOf(result)]).toEqual([
      true,
      [expect.stringContaining('(UNAUTHENTICATED, request ID)')],
    ]);
    expect(bed.calls()).toHaveLength(1);
  });

  it('rejects requests that could be forged or harm it, each with the reason', async () => {
    const bed = await start();
    const url = await serveMcp(bed);
    const long = `${call}${' '.repeat(262_144)}`;
    const host = 'The Host header is not allowed.';
    const origin = 'The Origin header is not allowed.';
    const token = 'The Authorization header must be one bearer token.';
    const size = 'Payload Too Large: Request body must not exceed 262144 bytes';
    const type = 'Unsupported Media Type: Content-Type must be application/json';
    const rows: [number, string, Record<string, string | string[]>, string?][] = [
      // DNS rebinding.
      [403, host, { host: 'evil.example.com' }],
      [403, host, { host: 'evil.example.com:8000' }],
      [403, host, { host: 'a b' }],
      [403, origin, { origin: 'https://evil.example.com' }],
      [403, origin, { origin: 'null' }],
      [401, token, { authorization: 'Basic dG9rZW4=' }],
      [401, token, { authorization: ['Bearer a', 'Bearer b'] }],
      [415, type, { 'content-type': 'text/plain' }],
      [413, size, {}, long],
      [413, size, { 'transfer-encoding': 'chunked' }, long],
      [400, 'Parse error: Invalid JSON', {}, '{'],
    ];
    for (const [status, message, headers, body] of rows) {
      const { status: got, body: error } = await post(url, headers, body);
      expect([headers, got, error]).toEqual([
        headers,
        status,
        { jsonrpc: '2.0', error: expect.objectContaining({ message }), id: null },
      ]);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('has one path and one method', async () => {
    const url = await serveMcp(await start());
    const rows = [
      ['POST', '/', 404, undefined],
      ['POST', '/mcp/x', 404, undefined],
      ['GET', '/mcp', 405, 'POST'],
      ['DELETE', '/mcp', 405, 'POST'],
    ] as const;
    for (const [method, path, status, allow] of rows) {
      const answer = await send(new URL(path, url), { method });
      expect([method, path, answer.status, answer.headers.allow]).toEqual([method, path, status, allow]);
    }
  });

  it('allows the loopback host under each of its names, and those of --allow-host', async () => {
    const url = await serveMcp(await start(), { args: ['--allow-host', 'MCP.example.com'] });
    const hosts = ['localhost', `127.0.0.1:${url.port}`, '[::1]:1', 'mcp.example.com'];
    for (const host of hosts) {
      expect([host, (await post(url, { host, origin: `http://${host}` })).status]).toEqual([host, 200]);
    }
  });

  it.each(revisions)('ends the request to the subgraph when a client of %j leaves', async (revision) => {
    const began = gate();
    const aborted = gate();
    const url = await serveMcp(
      await serve((_request, response) => {
        began.open();
        response.once('close', aborted.open);
      }),
    );
    const client = await connectHttp(url, { revision });
    const result = client.callTool({ name: 'Metadata', arguments: { id } });
    result.catch(() => {});
    await began.opened;
    await client.close();
    await expect(result).rejects.toThrow();
    await aborted.opened;
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes its calls after %s, and takes no more', async (signal) => {
    const bed = await start();
    const began = gate();
    const held = gate();
    bed.simulator.intercept(async () => {
      began.open();
      await held.opened;
      return undefined;
    });
    const { program, url } = await startMcp(bed);
    const running = post(url);
    await began.opened;
    program.kill(signal);
    // A request that makes no call: one would wait, too, where the signal is not there yet.
    await expect.poll(() => send(url).catch(({ code }) => code)).toBe('ECONNREFUSED');
    held.open();
    expect((await running).text).toContain(dataset.metadata.name);
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `MCP endpoint: ${url}\n`, stderr: '' });
  });

  it('says that its port is in use', async () => {
    const { port } = new URL(await answering('{}'));
    expect(await runCommand(['mcp', '--http', port])).toEqual(failed(1, `Port ${port} of 127.0.0.1 is in use.`));
  });

  it('listens on another host', async () => {
    const url = await serveMcp(await start(), { args: ['--host', '::1'] });
    expect(url.hostname).toBe('[::1]');
    expect((await post(url)).text).toContain(dataset.metadata.name);
  });
});

describe('docs/mcp.md', () => {
  const [config, ...session] = blocksOf('docs/mcp.md');

  it('has a configuration of a client that starts the server', async () => {
    const bed = await startDemo();
    const { command, args, env } = JSON.parse(config?.code ?? '').mcpServers.datasets;
    expect([command, args]).toEqual(['dataset-subgraph', ['mcp']]);
    const { DATASET_SUBGRAPH_URL: url, ...others } = env;
    expect(new URL(url).pathname).toBe(new URL(bed.subgraph.url).pathname);
    const client = await connect(bed, { token: null, env: others });
    const result = await client.callTool({ name: 'Metadata', arguments: { id: co2 } });
    expect(result.structuredContent).toMatchObject({ dataset: { name: 'Mauna Loa CO2' } });
  });

  it('shows a session', async () => {
    const [start = '', shown = '', curl = '', result = ''] = session.map(({ code }) => code);
    const [, command = '', port = ''] = /^dataset-subgraph (mcp --http (\d+))\n$/.exec(start) ?? [];
    expect(command).toBe(`mcp --http ${port}`);
    const url = await serveMcp(await startDemo());
    expect(shown).toBe(`MCP endpoint: ${url.href.replace(url.port, port)}\n`);
    const here = curl.replace(`127.0.0.1:${port}`, url.host).replace('curl ', 'curl --silent --show-error --fail ');
    const { code, stdout, stderr } = await startProgram('bash', ['-c', here]).ended;
    expect([code, stdout.trimEnd(), stderr]).toEqual([0, result.trimEnd(), '']);
  });

  it('lists the tools', () => {
    const listed = rowsOf('docs/mcp.md', 'tool', 'what it has').flatMap(([tool = '']) => names(tool));
    expect(listed).toEqual(Object.keys(toolArguments));
  });
});
