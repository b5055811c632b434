import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Collector, startCollector } from '../support/collector.ts';
import { listen, send } from '../support/harness.ts';
import { endpointIn, runPrograms } from './config.ts';
import type { ProgramHost } from './program-host.ts';
import { type Canary, canaries, canariesIn, ticket } from './secrets/canaries.ts';
import { fixtures as allFixtures, type Fixture } from './secrets/fixtures.ts';
import { bystander, type Operation, operations, type Revealed } from './secrets/operations.ts';

const { token: TOKEN } = canaries;

/** A bystander asks beside every so many operations. */
const BYSTANDER_EVERY = 8;

/** What programs have written since they started. */
async function writtenBy(host: ProgramHost): Promise<{ log: string[]; stderr: string }> {
  const { stdout, stderr } = await host.stop();
  return { log: stdout.split('\n').filter((line) => line !== ''), stderr };
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

describe('3.22, 4 What never leaks', () => {
  // The other mode is as the first one, but for what libraries add to errors of GraphQL.
  it.each([
    ['production', 1],
    ['development', 8],
  ])(
    'by any operation in any case, with NODE_ENV=%s: no secret in responses, traces and the log',
    async (NODE_ENV, of) => {
      const fixtures = allFixtures.filter((_, index) => index % of === 0);
      const services = await Promise.all(fixtures.map(({ service }) => service()));
      const collector = await startCollector();
      const { host, began } = await runPrograms(
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
        { NODE_ENV },
      );
      const wrong: string[] = began.flatMap(({ stdout }) => canariesIn(stdout));
      for (const [index, fixture] of fixtures.entries()) {
        const endpoint = endpointIn(began[index]);
        wrong.push(...(await wrongAt(fixture, endpoint, new URL(services[index] ?? ''))));
        await lastSpan(endpoint, collector);
      }
      const { log, stderr } = await writtenBy(host);
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
        if (services.some((service) => line.includes(new URL(service).host)))
          wrong.push(`${line} tells of the service`);
      }
      expect({ wrong, stderr }).toEqual({ wrong: [], stderr: '' });
      expect(log.length).toBeGreaterThan(fixtures.length * 10);
    },
    120_000,
  );

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
    const { host, began } = await runPrograms(
      runs.map((env) => ({
        entry: 'main',
        env: { DATASET_SERVICE_URL: 'https://api.example.com', PORT: '0', LOG_LEVEL: 'trace', ...secrets, ...env },
      })),
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
    expect(await writtenBy(host)).toEqual({ log: [], stderr: '' });
  });

  it('by the demo, but for the token that is its own', async () => {
    const { routerSecret, ticketSecret } = canaries;
    const secrets = { ROUTER_SECRET: routerSecret, DOWNLOAD_TICKET_SECRET: ticketSecret };
    const env = { PORT: '0', LOG_LEVEL: 'trace', ...secrets };
    const { host, began } = await runPrograms([{ entry: 'demo', env }]);
    const endpoint = endpointIn(began[0]);
    const wrong: string[] = [];
    for (const operation of operations) {
      const { text } = await operation.run(endpoint, 'demo');
      for (const leak of canariesIn(text, untold)) wrong.push(`${operation.title} tells of ${leak}`);
    }
    const { log, stderr } = await writtenBy(host);
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
