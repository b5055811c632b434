import { onTestFinished, vi } from 'vitest';
import { DATASET_ID, ofDataset, queryAt, send, startService } from '../../../test/harness.ts';
import { endpointOf, startEntry } from '../../../test/process.ts';

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

/** Starts the program before a simulated service, and makes all happen that it counts. Returns its metrics as text. */
export async function liveMetrics(): Promise<string> {
  const simulator = await startService({
    accounts: ['anna', 'ben', 'cleo'].map((name) => ({
      email: `${name}@example.com`,
      password: 'secret',
      token: name,
    })),
  });
  const env = { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', DATASET_SERVICE_URL: simulator.url };
  const program = startEntry('main', env);
  const endpoint = await endpointOf(program);
  const [, url = ''] = await program.printed(/^Metrics: (\S+)$/m);
  const query = (document: string, token = 'anna', signal?: AbortSignal) =>
    queryAt(endpoint, document, { token, ...(signal && { signal }) });

  await query(ofDataset('name results { series { nodes { results { valueDate } } } }'));
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
      // The circuit opens for calls of several clients and operations.
      await Promise.all(['anna', 'ben', 'cleo'].map((token) => query(ofDataset('name'), token)));
      const { text } = await send(new URL(url));
      const without = [...parseMetrics(text)].filter(([, { series }]) => series.size === 0).map(([name]) => name);
      if (without.length > 0) throw new Error(`no series yet: ${without}`);
      return text;
    },
    { timeout: 20_000, interval: 20 },
  );
}
