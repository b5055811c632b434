import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { type Answer, type Setup, send, start, type TestBed } from './harness.ts';

/** The samples of a scrape: each name with its labels as they are written, and its value. */
export type Samples = ReadonlyMap<string, number>;

/** Starts a subgraph with metrics. */
export function startMeasured({ env, ...setup }: Setup = {}): Promise<TestBed> {
  return start({ ...setup, env: { METRICS_PORT: '0', ...env } });
}

/** Asks a subgraph for its metrics. */
export function scrape({ subgraph }: Pick<TestBed, 'subgraph'>): Promise<Answer> {
  return send(new URL(subgraph.metricsUrl ?? 'none:'));
}

/** Reads the text format of Prometheus. Every line that is not a comment has to be a sample. */
export function parse(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^([a-z_0-9]+(?:\{(?:[a-z_]+="[^"\\\n]*",?)*\})?) (\S+)$/.exec(line) ?? [];
      expect([line, Number(value)]).toEqual([line, expect.any(Number)]);
      return [name, Number(value)];
    }),
  );
}

export async function samples(bed: TestBed): Promise<Samples> {
  return parse((await scrape(bed)).text);
}

/** A gauge or a counter, 0 where it is absent. */
export async function readSample(bed: TestBed, sample: string): Promise<number> {
  return (await samples(bed)).get(sample) ?? 0;
}

/** The names that are counted: of counters, and of the number of a histogram's observations. */
const counted = /^(http|graphql|results)_\w+_(total|count)(\{|$)/;

/** Every counter that is not 0, once no request runs. What is received in bytes depends on the fixture and is left out. */
export async function counts(bed: TestBed): Promise<Record<string, number>> {
  const read = await eventually(async () => {
    const all = await samples(bed);
    expect(all.get('http_server_active_requests')).toBe(0);
    return all;
  });
  return Object.fromEntries(
    [...read].filter(([name, value]) => value !== 0 && counted.test(name) && !name.includes('_bytes_')),
  );
}

/** The counters of requests to the endpoint with a complete response. */
export const responses = (status: number, count = 1, method = 'POST') => ({
  [`http_server_request_duration_seconds_count{http_request_method="${method}",http_route="/graphql",http_response_status_code="${status}"}`]:
    count,
});

export const operations = (outcome: string, count = 1) => ({
  [`graphql_operation_duration_seconds_count{outcome="${outcome}"}`]: count,
});

export const errors = (code: string, count = 1) => ({ [`graphql_errors_total{code="${code}"}`]: count });

/** The counters of REST calls that were sent. */
export const calls = (
  { operation = 'getDatasetMetadata', status = '2xx', failure = 'none' }: Partial<Record<string, string>> = {},
  count = 1,
) => ({
  [`http_client_request_duration_seconds_count{operation="${operation}",status_class="${status}",failure="${failure}"}`]:
    count,
});

/** The counter of REST calls that were sent, by their wait for it. */
export const waits = (operation = 'getDatasetMetadata', count = 1) => ({
  [`http_client_queue_wait_seconds_count{operation="${operation}"}`]: count,
});
