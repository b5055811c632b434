import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Collector, startCollector } from '../support/collector.ts';
import { gate, listen, NAME, start } from '../support/harness.ts';
import { BOTH, expectData, metadataSpan, querySpan, serverSpan, startTraced, treesOf } from '../support/traces.ts';

/** Sets variables that the SDK reads, until the end of the test. */
function setForSdk(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** A subgraph with these settings, and the one trace that the collector gets of it. */
async function traceWith(env: (collector: Collector) => Record<string, string>): Promise<Collector> {
  const collector = await startCollector();
  const bed = await start({ env: { OTEL_BSP_SCHEDULE_DELAY: '1', ...env(collector) } });
  expectData(await bed.query(NAME));
  expect(treesOf(await collector.receive(3))).toEqual([serverSpan([querySpan([metadataSpan()])])]);
  return collector;
}

const isFailing = { level: 40, msg: 'Traces cannot be sent to the collector. They are dropped.' };
const worksAgain = { level: 40, msg: 'Traces are sent to the collector again.' };

/** The warnings of a log. */
const warningsIn = (log: readonly string[]) =>
  log
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 40)
    .map(({ level, msg, code }) => ({ level, msg, ...(code !== undefined && { code }) }));

describe('3.38 OTEL_* variables', () => {
  it.each<[string, (url: string) => Record<string, string>, string]>([
    ['the base', (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), '/v1/traces'],
    ['the base with a path', (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp/` }), '/otlp/v1/traces'],
    ['the whole URL', (url) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own/` }), '/own/'],
    [
      'both',
      (url) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own`, OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/other` }),
      '/own',
    ],
  ])('say where the collector is: %s', async (_title, env, path) => {
    const { requests } = await traceWith(({ url }) => env(url));
    expect(new Set(requests.map((request) => request.path))).toEqual(new Set([path]));
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/x-protobuf' });
    expect(requests[0]?.headers).not.toHaveProperty('traceparent');
  });

  const sdk = {
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '3.1.1',
  };

  it.each([
    ['none', {}, { 'service.name': 'dataset-subgraph' }],
    [
      'attributes',
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=ours,deployment.environment.name=a%20b' },
      { 'service.name': 'ours', 'deployment.environment.name': 'a b' },
    ],
    [
      'both',
      { OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=ours,service.version=2' },
      { 'service.name': 'mine', 'service.version': '2' },
    ],
  ])('have the attributes of the resource: %s', async (_title, variables, expected) => {
    setForSdk(variables);
    const { resources, scopes } = await traceWith(({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }));
    expect(resources[0]).toEqual({ ...sdk, 'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/), ...expected });
    expect(scopes[0]).toMatchObject({ name: 'dataset-subgraph', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it.each<[name: string, value: string, ignored: boolean]>([
    ['OTEL_SDK_DISABLED', '1', true],
    ['OTEL_TRACES_SAMPLER', 'PARENTBASED_ALWAYS_ON', false],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', true],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', true],
  ])('never stop the start: %s=%s', async (name, value, ignored) => {
    const { bed, collector } = await startTraced({ env: { [name]: value } });
    expectData(await bed.query(NAME));
    await bed.subgraph.stop();
    expect(collector.requests.length).toBeGreaterThan(0);
    const sentence = new RegExp(`^${name} must be .*, but "${value}" was given\\. It is ignored\\.$`);
    expect(warningsIn(bed.log)).toEqual(ignored ? [{ level: 40, msg: expect.stringMatching(sentence) }] : []);
  });

  it.each([{ OTEL_SDK_DISABLED: 'True' }, { OTEL_TRACES_EXPORTER: 'none' }])('%o makes no traces', async (env) => {
    const { bed, collector } = await startTraced({ env });
    expectData(await bed.query(NAME));
    await bed.subgraph.stop();
    expect(collector.requests).toEqual([]);
    expect(bed.log.filter((line) => line.includes('trace_id'))).toEqual([]);
  });

  it('have the size of a batch and of the queue', async () => {
    const env = {
      OTEL_BSP_MAX_QUEUE_SIZE: '6',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '3',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    };
    const { bed, collector } = await startTraced({ env });
    for (let times = 0; times < 2; times += 1) expectData(await bed.query(NAME));
    // A full batch does not wait.
    expect(await collector.receive(6)).toHaveLength(6);
    expect(collector.requests).toHaveLength(2);
  });
});

describe('3.38 The collector', () => {
  it('gets what is left when the subgraph stops', async () => {
    const { bed, collector } = await startTraced({ env: { OTEL_BSP_SCHEDULE_DELAY: '600000' } });
    const { opened, open } = gate();
    const arrived = gate();
    bed.simulator.intercept(() => {
      arrived.open();
      return opened.then(() => undefined);
    });
    const response = bed.query(NAME);
    await arrived.opened;
    const stopped = bed.subgraph.stop();
    open();
    expectData(await response);
    await stopped;
    expect(treesOf(collector.spans)).toEqual([serverSpan([querySpan([metadataSpan()])])]);
  });

  it.each([
    ['is not there', async () => 'http://127.0.0.1:9', 'ECONNREFUSED'],
    ['hangs', async () => listen(() => {}), undefined],
    ['closes the connection', async () => listen((socket) => void socket.destroy()), 'ECONNRESET'],
    ['is no HTTP server', async () => listen((socket) => void socket.end('no HTTP\r\n\r\n')), 'HPE_INVALID_CONSTANT'],
  ])('breaks nothing where it %s, and has one line in the log', async (_title, url, code) => {
    setForSdk({ OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await url(), OTEL_BSP_SCHEDULE_DELAY: '1' };
    const bed = await start({ env });
    const warning = { ...isFailing, ...(code !== undefined && { code }) };
    for (let times = 0; times < 5; times += 1) {
      expectData(await bed.query(BOTH));
      await expect.poll(() => warningsIn(bed.log)).toEqual([warning]);
    }
    const stopping = performance.now();
    await bed.subgraph.stop();
    expect(performance.now() - stopping).toBeLessThan(6000);
    expect(warningsIn(bed.log)).toEqual([warning]);
  });

  it.each([400, 503])('that answers %i has one line in the log, and one when it works again', async (status) => {
    setForSdk({ OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
    const { bed, collector } = await startTraced();
    collector.status = status;
    expectData(await bed.query(NAME));
    const warning = { ...isFailing, ...(status === 400 && { code: '400' }) };
    await expect.poll(() => warningsIn(bed.log)).toEqual([warning]);
    collector.status = 200;
    // On a busy machine an export may exceed its timeout.
    await expect
      .poll(async () => {
        expectData(await bed.query(NAME));
        return warningsIn(bed.log);
      })
      .toEqual([warning, worksAgain]);
  });
});
