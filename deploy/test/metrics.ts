import { onTestFinished, vi } from 'vitest';
import { names, rowsOf } from '../../test/support/doc-blocks.ts';
import { DATASET_ID, ofDataset, queryAt, send, start, startService } from '../../test/support/harness.ts';
import { endpointOf, startEntry } from '../../test/support/process.ts';
import { rules } from './observability/queries.ts';
import { type Matcher, parseQuery } from './promql.ts';

/** A family of metrics in the text that Prometheus reads. */
export interface Family {
  readonly type: string;
  /** The names of its series: of a histogram those of the buckets, the sum and the count. */
  readonly series: Set<string>;
  /** The values of each label. */
  readonly labels: Map<string, Set<string>>;
}

/** Parses the text that Prometheus reads. */
export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    const [, name, type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (name !== undefined) {
      current = { type, series: new Set(), labels: new Map() };
      families.set(name, current);
    }
    const [, series, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (series === undefined || current === undefined) continue;
    current.series.add(series);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      current.labels.set(label, (current.labels.get(label) ?? new Set()).add(value));
    }
  }
  return families;
}

/** Starts the program with its cache, and makes all happen that it counts. Returns its metrics as text. */
export async function liveMetrics(): Promise<string> {
  const simulator = await startService({
    accounts: ['anna', 'ben', 'cleo'].map((name) => ({
      email: `${name}@example.com`,
      password: 'secret',
      token: name,
    })),
  });
  // Metadata is not kept, so that its calls can fail.
  const cache = { CACHE: 'memory', CACHE_METADATA_SECONDS: '0' };
  const env = { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', DATASET_SERVICE_URL: simulator.url, ...cache };
  const program = startEntry('main', env);
  const endpoint = await endpointOf(program);
  const [, url = ''] = await program.printed(/^Metrics: (\S+)$/m);
  const query = (document: string, token = 'anna', signal?: AbortSignal) =>
    queryAt(endpoint, document, { token, ...(signal && { signal }) });

  await query(ofDataset('name results { series { nodes { rows { valueDate } } } }'));
  await query('{ dataset(id: "unknown") { name } }');
  await send(new URL(`/download/dataset/${DATASET_ID}`, endpoint), { headers: { authorization: 'Bearer anna' } });

  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  simulator.intercept(() => {
    leaving.abort();
    return { hang: true };
  });
  await query(ofDataset('name'), 'anna', leaving.signal).catch(() => {});

  simulator.intercept(() => ({ reset: true }));
  return await vi.waitFor(
    async () => {
      // The circuit opens for many operations that fail.
      await Promise.all(['anna', 'ben', 'cleo'].map((token) => query(ofDataset('name'), token)));
      const { text } = await send(new URL(url));
      const without = [...parseMetrics(text)].filter(([, { series }]) => series.size === 0).map(([name]) => name);
      if (without.length > 0) throw new Error(`no series yet: ${without}`);
      return text;
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** The metrics of a subgraph that has a secret and has made a REST call. */
export async function scrape(path: string): Promise<Map<string, Family>> {
  const secret = 'secret-of-the-router';
  const { subgraph, query } = await start({ env: { METRICS_PORT: '0', ROUTER_SECRET: secret, CACHE: 'memory' } });
  await query(ofDataset('name'), { headers: { 'router-authorization': secret } });
  const { status, text } = await send(new URL(path, subgraph.metricsUrl));
  if (status !== 200) throw new Error(`${path} has the status ${status}.`);
  return parseMetrics(text);
}

/** Labels that Prometheus adds to each series of a target. */
const targetLabels = ['job', 'namespace', 'instance'];
/** Metrics that Prometheus makes by itself, or by the rules. */
const made = new Set(['up', ...rules.flatMap(({ record }) => record ?? [])]);

/** The metrics of docs/operations.md: the type, and the values of each label; undefined: any value. */
export const documented = new Map(
  rowsOf('docs/operations.md', 'metric', 'type', 'labels').map(([metric = '', type = '', labels = '']) => [
    names(metric)[0] ?? '',
    { type, labels: new Map(labels.split('; ').flatMap(labelOf)) },
  ]),
);

function labelOf(text: string): [name: string, values: string[] | undefined][] {
  const [, name, values] = /^`(\w+)`(?:: (.*))?$/.exec(text) ?? [];
  return name === undefined ? [] : [[name, values?.split(', ')]];
}

/** What a query asks for that no metric of the program has. @param shown labels in a legend or in the text of an alert */
export function problemsOf(query: string, live: ReadonlyMap<string, Family>, shown: readonly string[] = []): string[] {
  const { selectors, groupings } = parseQuery(query);
  // Alerts have the labels of their queries.
  if (selectors.some(({ metric }) => metric === 'ALERTS')) return [];
  const labels = new Set(targetLabels);
  const problems = selectors.flatMap(({ metric, matchers }) => {
    if (made.has(metric)) return [];
    const [name, family] = [...live].find(([, { series }]) => series.has(metric)) ?? [];
    if (family === undefined || name === undefined) return [`${metric} is no metric`];
    for (const label of family.labels.keys()) labels.add(label);
    return matchers.flatMap((matcher) => problemsOfMatcher(matcher, name, family));
  });
  const missing = [...groupings, ...shown].filter((label) => !labels.has(label));
  return [...problems, ...missing.map((label) => `no label ${label}`)];
}

function problemsOfMatcher({ label, operator, value }: Matcher, metric: string, { labels }: Family): string[] {
  if (targetLabels.includes(label)) return [];
  const known = [...(labels.get(label) ?? []), ...(documented.get(metric)?.labels.get(label) ?? [])];
  if (known.length === 0) return [`${metric} has no label ${label}`];
  // docs/errors.md has the codes, and a test of its own.
  if (label === 'code') return [];
  const wanted = operator.endsWith('~') ? value.split('|') : [value.replaceAll('.', '[.]')];
  const missing = wanted.filter((pattern) => !known.some((text) => new RegExp(`^(?:${pattern})$`).test(text)));
  return missing.map((pattern) => `${metric} has no ${label} ${pattern}`);
}
