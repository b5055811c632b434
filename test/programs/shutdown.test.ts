import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, gate, outline, queryAt, send, startService } from '../support/harness.ts';
import { endpointOf, startAtTerminal, startEntry } from '../support/process.ts';

const BOTH = `{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`;
const bothData = { data: { dataset: { name: dataset.metadata.name, results: { sourceId: 's-1' } } } };

/**
 * Much less than a connection may be idle, or a request may take to arrive; with much to spare for a busy machine. The
 * program has a clock of its own, so real time is the only one that tests share with it.
 */
const SOON_MS = 2500;

/** The program over a service that holds its answers back. */
async function start({ env = {}, run = (all: Record<string, string>) => startEntry('main', all) } = {}) {
  const simulator = await startService();
  const held = gate();
  simulator.intercept(() => held.opened.then(() => undefined));
  const program = run({ PORT: '0', DATASET_SERVICE_URL: simulator.url, ...env });
  const endpoint = await endpointOf(program);
  const health = (path: string) => send(new URL(`/health/${path}`, endpoint));
  return {
    simulator,
    program,
    endpoint,
    health,
    release: held.open,
    query: () => queryAt(endpoint, BOTH),
    arrived: () => eventually(() => expect(simulator.requests).toHaveLength(2)),
    stopping: () => eventually(async () => expect((await health('ready')).status).toBe(503)),
  };
}

/** A connection on which this was sent, and something has come back. */
async function openConnection({ hostname, port }: URL, text: string): Promise<{ closed: Promise<unknown> }> {
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  socket.write(text);
  await once(socket, 'data');
  return { closed };
}

/*
 * Clause 3.20 of docs/contract.md in detail: shutdown.
 * On SIGTERM or SIGINT, ready turns 503, no accepted request is lost, and the exit code is 0:
 * - While requests run, for 5 seconds at most, new requests are still served, and every response closes its connection.
 * - Then the subgraph stops listening. Connections made by then are accepted and served. The operating system refuses
 *   later ones before they have sent anything.
 * - Running requests have `OPERATION_TIMEOUT_MS` and a second. One that began too late to end by then gets 503 with
 *   `SHUTTING_DOWN`.
 *
 * A further signal ends the process at once. But a second one within two seconds counts as the same signal, because npm
 * forwards a Ctrl-C that the terminal has already sent to the program.
 */
describe('3.20 SIGTERM and SIGINT', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets what runs finish, says at once that it is not ready, goes on answering, and exits with 0',
    async (signal) => {
      const { program, endpoint, query, arrived, stopping, health, release, simulator } = await start();
      const response = query();
      await arrived();
      expect((await health('ready')).body).toEqual({ status: 'ready' });
      program.kill(signal);
      await stopping();
      expect((await health('ready')).body).toEqual({ status: 'stopping' });
      expect(await health('live')).toMatchObject({ status: 200, body: { status: 'live' } });
      expect((await queryAt(endpoint, '{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
      release();
      expect(await response).toMatchObject({ status: 200, body: bothData });
      expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(await Promise.all(simulator.requests.map(({ outcome }) => outcome))).toEqual(['answered', 'answered']);
    },
  );

  it('does not wait for a connection that is open and idle', async () => {
    const { program, endpoint } = await start();
    const idle = await openConnection(endpoint, 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    const stopped = performance.now();
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    await idle.closed;
    expect(performance.now() - stopped).toBeLessThan(SOON_MS);
  });

  it('waits for what runs no longer than an operation may take, which ends with its own error', async () => {
    const { program, query, arrived } = await start({ env: { OPERATION_TIMEOUT_MS: '500' } });
    const response = query();
    await arrived();
    program.kill('SIGTERM');
    expect(outline(await response)).toEqual({
      data: { dataset: { name: null, results: null } },
      errors: ['dataset.name UPSTREAM_TIMEOUT', 'dataset.results UPSTREAM_TIMEOUT'],
    });
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it.each([
    [
      'body',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n',
    ],
    ['head', 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\nPOST /graphql HTTP/1.1\r\nhost:'],
  ])('waits no longer than that for a request whose %s never comes to its end', async (_part, text) => {
    const { program, endpoint } = await start({ env: { OPERATION_TIMEOUT_MS: '500' } });
    const unfinished = await openConnection(endpoint, text);
    const stopped = performance.now();
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    await unfinished.closed;
    // Half a second of notice, and as long again for operations; two more to answer.
    expect(performance.now() - stopped).toBeLessThan(3000 + SOON_MS);
  });

  it('is what Ctrl-C does to npm start at a terminal, which npm passes on at once', async () => {
    const { program, query, arrived, stopping, release } = await start({
      run: (env) => startAtTerminal('exec npm run --silent start', { env }),
    });
    const response = query();
    await arrived();
    program.type('\x03');
    await stopping();
    release();
    expect((await response).body).toEqual(bothData);
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
  ] as const)('%s and a later %s end the program at once', async (first, second) => {
    const { program, query, arrived, stopping } = await start();
    const response = query().catch((error: NodeJS.ErrnoException) => error.code);
    await arrived();
    program.kill(first);
    await stopping();
    // The next signal may be the first one again, which npm passes on.
    const again = setInterval(() => program.kill(second), 20);
    onTestFinished(() => clearInterval(again));
    expect(await program.ended).toMatchObject({ code: null, signal: second });
    expect(await response).toBe('ECONNRESET');
  });

  it('a second signal ends the program when it comes too late to be the first one again', async () => {
    const { program, query, health, arrived } = await start();
    const response = query().catch((error: NodeJS.ErrnoException) => error.code);
    await arrived();
    program.kill('SIGTERM');
    // It stops listening after five seconds.
    await eventually(() => expect(health('ready')).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(await response).toBe('ECONNRESET');
  });
});
