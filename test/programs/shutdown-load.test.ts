import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, startService, TOKEN } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

const BOTH = `{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`;
const bothData = { data: { dataset: { name: dataset.metadata.name, results: { sourceId: 's-1' } } } };

/** What came back for one request: its status and body, and whether its connection was closed; or an error's code. */
type Outcome = { status: number; body: unknown; closes: boolean } | { failed: string | undefined };

function ask(endpoint: URL, agent: Agent): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const request = httpRequest(endpoint, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error: NodeJS.ErrnoException) => resolve({ failed: error.code }));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(text),
          closes: response.headers.connection === 'close',
        }),
      );
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ failed: error.code }));
    request.end(JSON.stringify({ query: BOTH }));
  });
}

/** The program over a service that takes up to so many milliseconds for an answer. */
async function start(slowestMs: number, env: Record<string, string> = {}) {
  const simulator = await startService();
  let calls = 0;
  simulator.intercept(
    () => new Promise((resolve) => setTimeout(() => resolve(undefined), (calls++ * 7919) % slowestMs)),
  );
  const program = startEntry('main', { PORT: '0', LOG_LEVEL: 'warn', DATASET_SERVICE_URL: simulator.url, ...env });
  return { simulator, program, endpoint: await endpointOf(program) };
}

describe('3.20 SIGTERM under load', () => {
  it('fails none of the requests on hundreds of open connections', async () => {
    const { program, endpoint } = await start(150);
    const outcomes: Outcome[] = [];
    // Each asks again and again on one connection, until an answer says that this is closed.
    const keepingOpen = Array.from({ length: 200 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      for (;;) {
        const outcome = await ask(endpoint, agent);
        outcomes.push(outcome);
        if ('failed' in outcome || outcome.closes) return;
      }
    });
    await eventually(() => expect(outcomes.length).toBeGreaterThan(400));
    const stopped = performance.now();
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(performance.now() - stopped).toBeLessThan(10_000);
    await Promise.all(keepingOpen);
    expect(outcomes.filter((outcome) => 'failed' in outcome)).toEqual([]);
    expect(outcomes.filter((outcome) => 'closes' in outcome && outcome.closes)).toHaveLength(200);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 200, body: bothData });
  });

  it('a storm of new connections loses none that was made: each is answered, or refused before it has sent anything', async () => {
    const { program, endpoint } = await start(1, { OPERATION_TIMEOUT_MS: '1000' });
    const body = '{"query":"{__typename}"}';
    const request = `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const outcomes: string[] = [];
    const once = () =>
      new Promise<string>((resolve) => {
        let received = '';
        let state = 'refused';
        const socket = connect(Number(endpoint.port), endpoint.hostname);
        socket.on('connect', () => {
          state = 'lost';
          socket.write(request);
        });
        socket.on('data', (chunk) => {
          received += chunk;
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(received.includes('{"data":{"__typename":"Query"}}') ? 'answered' : state));
      });
    const coming = Array.from({ length: 50 }, async () => {
      for (let outcome = ''; outcome !== 'refused' && outcomes.length < 20_000; ) {
        outcome = await once();
        outcomes.push(outcome);
      }
    });
    await eventually(() => expect(outcomes.length).toBeGreaterThan(100));
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    await Promise.all(coming);
    expect(outcomes.length).toBeLessThan(20_000);
    // One may slip in between the last look and the end of listening; without care it is nearly one for each client.
    expect(outcomes.filter((outcome) => outcome === 'lost').length).toBeLessThanOrEqual(2);
  });

  it('an operation that begins too late to end in time is ended with an error of ours', async () => {
    const { program, endpoint, simulator } = await start(1, { OPERATION_TIMEOUT_MS: '1000' });
    simulator.intercept(() => ({ hang: true }));
    const body = JSON.stringify({ query: BOTH });
    const socket = connect(Number(endpoint.port), endpoint.hostname);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await eventually(() => expect(received).toContain('100 Continue'));
    program.kill('SIGTERM');
    const stopped = performance.now();
    // After 1 s no connections are accepted, after 3 s operations are ended.
    await eventually(() => expect(performance.now() - stopped).toBeGreaterThan(2500));
    socket.write(body);
    await closed;
    expect(received).toContain('HTTP/1.1 503 Service Unavailable');
    expect(received).toContain(
      '{"errors":[{"message":"The server is shutting down.","extensions":{"code":"SHUTTING_DOWN"}}]}',
    );
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});
