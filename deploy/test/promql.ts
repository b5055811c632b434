import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { onTestFinished } from 'vitest';
import { startProgram } from '../../test/process.ts';

/** The names of metrics and labels that a PromQL expression uses. Throws where its syntax is wrong. */
export function namesIn(expression: string): { metrics: Set<string>; labels: Set<string> } {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to, node }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`Not PromQL from "${expression.slice(from)}": ${expression}`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add(text);
      if (name === 'LabelName') labels.add(text);
    },
  });
  return { metrics, labels };
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
