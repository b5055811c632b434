import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { listen, send, startService } from '../support/harness.ts';
import { endpointOf, type Program, startEntry } from '../support/process.ts';
import { runPrograms } from './config.ts';
import { type Canary, canaries, canariesIn, ticket } from './secrets/canaries.ts';
import { fixtures as allFixtures, type Fixture } from './secrets/fixtures.ts';
import { bystander, type Operation, operations, type Revealed } from './secrets/operations.ts';

const { service: UPSTREAM, token: TOKEN } = canaries;

/** A bystander asks beside every so many operations. */
const BYSTANDER_EVERY = 8;

const modes = ['production', 'development'];

/** What a program has written until its end, but for what it says of its beginnings. */
async function writtenBy(program: Program): Promise<{ log: string[]; stderr: string }> {
  program.kill('SIGKILL');
  const { stdout, stderr } = await program.ended;
  return { log: stdout.split('\n').filter((line) => line !== '' && !line.startsWith('began ')), stderr };
}

/** What nobody is told by an answer, whoever asks. */
const untold: Canary[] = ['token', 'routerSecret', 'ticketSecret', 'service', 'email', 'password'];

/** What is wrong with what an answer tells, a line each. */
function wrongIn(told: Revealed, forbidden: Canary[], service: URL): string[] {
  const errors = JSON.stringify(told.errors);
  return [
    ...canariesIn(told.text, forbidden),
    ...(errors.includes(service.host) || errors.includes(service.hostname) ? ['the address of the service'] : []),
  ];
}

describe.each(modes)('3.22, 4 What never leaks, with NODE_ENV=%s', (nodeEnv) => {
  it('by any operation in any case: no secret in responses, traces and the log', async () => {
    // The other mode is as the first one, but for what libraries add to errors.
    const fixtures = allFixtures.filter((_, index) => nodeEnv === 'production' || index % 4 === 0);
    const services = await Promise.all(fixtures.map(({ service }) => service()));
    const collector = await startCollector();
    const { program, began } = await runPrograms(
      fixtures.map(({ env }, index) => ({
        entry: 'main',
        env: {
          DATASET_SERVICE_URL: services[index] ?? '',
          ROUTER_SECRET: canaries.routerSecret,
          FEDERATED_TRACING: 'on',
          DOWNLOAD_TICKET_SECRET: canaries.ticketSecret,
          LOGIN_EMAIL: canaries.email,
          LOGIN_PASSWORD: canaries.password,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_BSP_SCHEDULE_DELAY: '1',
          OTEL_BSP_MAX_QUEUE_SIZE: '100000',
          TRACE_UPSTREAM: 'on',
          LOG_LEVEL: 'trace',
          LOG_OPERATIONS: 'on',
          PORT: '0',
          ...env,
        },
      })),
      { NODE_ENV: nodeEnv },
    );
    const wrong: string[] = began.flatMap(({ stdout }) => canariesIn(stdout));
    for (const [index, fixture] of fixtures.entries()) {
      const { stdout = '', stderr } = began[index] ?? {};
      const [, url = ''] = /^GraphQL endpoint: (\S+)$/m.exec(stdout) ?? [];
      expect([stderr, url], fixture.title).toEqual(['', expect.stringMatching(/^http:/)]);
      wrong.push(...(await wrongAt(fixture, new URL(url), new URL(services[index] ?? ''))));
      await lastSpan(new URL(url), collector);
    }
    const { log, stderr } = await writtenBy(program);
    const sent = collector.requests.map(({ body }) => body.toString('latin1')).join('\n');
    for (const leak of canariesIn(sent)) wrong.push(`the traces tell of ${leak}`);
    if (ticket.test(sent)) wrong.push('the traces tell of a ticket');
    for (const url of services) if (sent.includes(new URL(url).host)) wrong.push('the traces tell of the service');
    expect(collector.spans.length).toBeGreaterThan(fixtures.length * operations.length);
    for (const line of log) {
      const { requestId, level } = JSON.parse(line);
      expect(level).toEqual(expect.any(Number));
      if (ticket.test(line)) wrong.push(`the log of ${requestId} tells of a ticket`);
      for (const leak of canariesIn(line)) wrong.push(`the log of ${requestId} tells of ${leak}`);
      if (services.some((service) => line.includes(new URL(service).host))) wrong.push(`${line} tells of the service`);
    }
    expect({ wrong, stderr }).toEqual({ wrong: [], stderr: '' });
    expect(log.length).toBeGreaterThan(fixtures.length * 10);
  }, 120_000);

  it('by a login: neither e-mail nor password, nor what the service says', async () => {
    const { email, password } = canaries;
    const echo = JSON.stringify({ email, password, error: UPSTREAM, authorization: TOKEN });
    const faults: Fault[] = [
      ...[200, 204, 302, 400, 401, 403, 404, 429, 500, 503].map((status) => ({ status, body: echo })),
      { body: `<p>${echo}</p>` },
      { body: JSON.stringify({ token: [TOKEN] }) },
      { body: JSON.stringify({ token: `${TOKEN}\n${TOKEN}` }) },
      { body: echo, cutAfterBytes: 20 },
      { headers: { 'content-encoding': 'gzip' }, body: echo },
      { reset: true },
    ];
    const services = await Promise.all(
      faults.map(async (fault) => {
        const auth = await startService();
        auth.intercept(() => fault);
        return auth.url;
      }),
    );
    const noHttp = await listen((socket) => void socket.end(`${UPSTREAM} ${TOKEN}\r\n\r\n`));
    const urls = [...services, noHttp, `https://${new URL(noHttp).host}`, 'https://nowhere.invalid'];
    const { program, began } = await runPrograms(
      urls.map((AUTH_SERVICE_URL) => ({
        entry: 'login',
        env: { AUTH_SERVICE_URL, LOGIN_EMAIL: email, LOGIN_PASSWORD: password, LOG_LEVEL: 'trace' },
      })),
      { NODE_ENV: nodeEnv },
    );
    for (const { code, stdout, stderr } of began) {
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^The .*\.\n$/) });
      expect(canariesIn(stderr)).toEqual([]);
    }
    expect(await writtenBy(program)).toEqual({ log: [], stderr: '' });
  });

  it('by a start that fails, or that ignores a setting: of no setting what may be a secret, of others nothing', async () => {
    const config = readFileSync('src/config.ts', 'utf8');
    const settings = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
    const { routerSecret, ticketSecret, email, password } = canaries;
    const secrets = {
      ROUTER_SECRET: routerSecret,
      DOWNLOAD_TICKET_SECRET: ticketSecret,
      LOGIN_EMAIL: email,
      LOGIN_PASSWORD: password,
    };
    const bad: Record<string, string>[] = [
      ...settings.map((name) => ({ [name]: `https://${email}:${password}@a.example` })),
      ...settings.map((name) => ({ [name]: `https://a.example/?token=${TOKEN}` })),
      ...settings.map((name) => ({ [name]: `https://a.example/#${TOKEN}` })),
      { ROUTER_SECRET: `${routerSecret} ${routerSecret}` },
      { ROUTER_SECRET: `${routerSecret}\n` },
      { DOWNLOAD_TICKET_SECRET: `${ticketSecret} ${ticketSecret}` },
      { DOWNLOAD_TICKET_SECRET: `${ticketSecret},${routerSecret}` },
      { DOWNLOAD_TICKET_SECRET: routerSecret },
      { DATASET_SERVICE_URL: '' },
      { HOST: 'nowhere.invalid' },
      { PORT: new URL(await listen(() => {})).port },
    ];
    // A secret may look like a URL.
    const runs = bad.filter(
      (env) => !/^(ROUTER|DOWNLOAD_TICKET)_SECRET=https/.test(Object.entries(env).join().replace(',', '=')),
    );
    const { program, began } = await runPrograms(
      runs.map((env) => ({
        entry: 'main',
        env: { DATASET_SERVICE_URL: 'https://api.example.com', PORT: '0', LOG_LEVEL: 'trace', ...secrets, ...env },
      })),
      { NODE_ENV: nodeEnv },
    );
    expect(runs.length).toBeGreaterThan(30);
    const leaks = began.map((run, index) => [
      Object.keys(runs[index] ?? {})[0],
      ...canariesIn(run.stdout + run.stderr),
    ]);
    expect(leaks).toEqual(runs.map((env) => [Object.keys(env)[0]]));
    // What is ignored with a warning, and what is valid.
    const starts = /^(OTEL_\w+=|NO_PROXY=|HTTPS?_PROXY=.*@)/;
    for (const [index, { code, stderr }] of began.entries()) {
      const isStarted = starts.test(
        Object.entries(runs[index] ?? {})
          .join()
          .replace(',', '='),
      );
      const expected = isStarted
        ? { code: null, stderr: '' }
        : { code: 1, stderr: expect.stringMatching(/^[^\n]+\.\n$/) };
      expect([runs[index], { code, stderr }]).toEqual([runs[index], expected]);
    }
    expect(await writtenBy(program)).toEqual({ log: [], stderr: '' });
  });

  it('by the demo, but for the token that is its own', async () => {
    const { routerSecret, ticketSecret } = canaries;
    const secrets = { ROUTER_SECRET: routerSecret, DOWNLOAD_TICKET_SECRET: ticketSecret };
    const env = { NODE_ENV: nodeEnv, PORT: '0', LOG_LEVEL: 'trace', ...secrets };
    const program = startEntry('demo', env);
    await program.printed(/^Try:\n {2}(.*)\n {2}.*\n\n/m);
    const endpoint = await endpointOf(program);
    const wrong: string[] = [];
    for (const operation of operations) {
      const { text } = await operation.run(endpoint, 'demo');
      for (const leak of canariesIn(text, untold)) wrong.push(`${operation.title} tells of ${leak}`);
    }
    const { log, stderr } = await writtenBy(program);
    expect({ wrong, leaks: canariesIn(log.join('\n')), stderr }).toEqual({ wrong: [], leaks: [], stderr: '' });
    expect(log.join('\n')).not.toMatch(ticket);
    expect(log.filter((line) => /^[\d:.]{12} GraphQL /.test(line)).length).toBeGreaterThan(0);
  });
});

/** Waits until the collector has all spans so far: a further request is traced, and its span comes after theirs. */
async function lastSpan(endpoint: URL, collector: Collector): Promise<void> {
  const traceId = randomBytes(16).toString('hex');
  const traceparent = `00-${traceId}-${'1'.repeat(16)}-01`;
  await send(endpoint, { method: 'POST', headers: { traceparent } });
  await collector.receive(traceId);
}

/** Does every operation in a scene, a bystander's beside each; what is wrong with the answers, a line each. */
async function wrongAt(fixture: Fixture, endpoint: URL, service: URL): Promise<string[]> {
  const wrong: string[] = [];
  const codes = new Set<string>();
  const look = async (operation: Operation, forbidden: Canary[]) => {
    const response = await operation.run(endpoint, `${fixture.title}: ${operation.title}`.replaceAll(/[^\w]+/g, '-'));
    const url = `/download?authToken=${TOKEN}`;
    const text = fixture.env?.DOWNLOAD_TOKEN_IN_URL === 'allow' ? response.text.replace(url, '') : response.text;
    for (const leak of wrongIn({ ...response, text }, forbidden, service)) {
      wrong.push(`${fixture.title}: ${operation.title} tells of ${leak}`);
    }
    for (const { extensions } of response.errors) codes.add(extensions.code);
    return response;
  };
  const [first, ...others] = operations;
  // Alone, so that it is certain what the service has done to it.
  const { errors } = first ? await look(first, untold) : { errors: [] };
  expect(
    errors.map(({ extensions: { code, rest } }) => ({ code, status: rest?.status })),
    fixture.title,
  ).toEqual(fixture.error ? [fixture.error] : []);
  await Promise.all(
    others.flatMap((operation, index) => [
      look(operation, untold),
      ...(index % BYSTANDER_EVERY === 0 ? [look(bystander, [...untold, 'datasetId', 'assetId'])] : []),
    ]),
  );
  if (fixture.code !== undefined) expect(codes, fixture.title).toContain(fixture.code);
  return wrong;
}
