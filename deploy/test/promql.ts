import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { onTestFinished } from 'vitest';
import { ofDataset, send, start } from '../../test/harness.ts';
import { startProgram } from '../../test/process.ts';

/** A metric with labels: a sample of it, or what an expression selects. */
export interface Labelled {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What a PromQL expression selects, and the labels by which it groups. Throws where its syntax is wrong. */
export function readQuery(expression: string): { selectors: Labelled[]; grouping: string[] } {
  const selectors: Labelled[] = [];
  const grouping: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to, node }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`Not PromQL from "${expression.slice(from)}": ${expression}`);
      if (name === 'VectorSelector') selectors.push(labelled(text));
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') grouping.push(text);
    },
  });
  return { selectors, grouping };
}

/** Reads `metric{label="value"}`, of an expression or of a line of metrics. */
function labelled(text: string): Labelled {
  const labels = [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  return { metric: /^\w+/.exec(text)?.[0] ?? '', labels: Object.fromEntries(labels) };
}

/** The labels that Prometheus adds to what it scrapes. */
const TARGET_LABELS: ReadonlySet<string> = new Set(['job', 'namespace', 'instance']);

/** Of expressions, the selectors and the grouping labels that match nothing among samples. */
export function unmatched(expressions: readonly string[], samples: readonly Labelled[]): unknown[] {
  return expressions.map(readQuery).flatMap(({ selectors, grouping }) => {
    const found = selectors.map(({ metric, labels }) =>
      samples.filter(
        (sample) =>
          sample.metric === metric &&
          Object.entries(labels).every(([name, value]) => TARGET_LABELS.has(name) || sample.labels[name] === value),
      ),
    );
    return [
      ...selectors.filter((_, index) => found[index]?.length === 0),
      ...grouping.filter((label) => !TARGET_LABELS.has(label) && !found.flat().some(({ labels }) => label in labels)),
    ];
  });
}

/** The metrics of a subgraph that has a secret and has made a REST call. */
export async function scrape(path: string): Promise<Labelled[]> {
  const secret = 'secret-of-the-router';
  const { subgraph, query } = await start({ env: { METRICS_PORT: '0', ROUTER_SECRET: secret } });
  await query(ofDataset('name'), { headers: { 'router-authorization': secret } });
  const { status, text } = await send(new URL(path, subgraph.metricsUrl));
  if (status !== 200) throw new Error(`${path} has the status ${status}.`);
  return text
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .map(labelled);
}

/** Series as promtool's tests write them: `name{labels}` with `start+step x times`. A sample every 15 seconds. */
export type Series = Readonly<Record<string, string>>;

/** Checks with promtool that an expression has a value after five minutes of series; undefined means no value. */
export async function expectValue(expression: string, series: Series, value: number | undefined): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'promql-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const expected = value === undefined ? [] : [{ labels: '{}', value }];
  // The value is rounded, since promtool compares floating point numbers exactly.
  const test = { expr: `round(${expression}, 0.001)`, eval_time: '5m', exp_samples: expected };
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const file = join(directory, 'test.json');
  await writeFile(
    file,
    JSON.stringify({ tests: [{ interval: '15s', input_series: input, promql_expr_test: [test] }] }),
  );
  const { code, stdout, stderr } = await startProgram('promtool', ['test', 'rules', file]).ended.catch((error) => {
    throw new Error('promtool did not start. Install Prometheus: Debian has it in the package prometheus.', {
      cause: error,
    });
  });
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
}
