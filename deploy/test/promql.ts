import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, onTestFinished } from 'vitest';
import { blocksOf } from '../../test/support/doc-blocks.ts';
import { type Ending, startProgram } from '../../test/support/process.ts';

/** One condition on a label: `outcome=~"timeout|shutting_down"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What a query asks for. */
export interface ParsedQuery {
  /** The metrics, each with its conditions. */
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** The labels in `by`, `without`, `on` and `ignoring`. */
  readonly groupings: readonly string[];
}

/**
 * Parses a query in PromQL.
 *
 * @throws Error with the part that is no PromQL
 */
export function parseQuery(query: string): ParsedQuery {
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const groupings: string[] = [];
  const matcher: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to, node }) => {
      const text = query.slice(from, to);
      const parent = node.parent?.name;
      if (type.isError) throw new Error(`not PromQL: ${query.slice(0, from)} >>> ${query.slice(from)}`);
      if (type.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const current = selectors.at(-1);
      if (type.name === 'Identifier' && current !== undefined) current.metric = text;
      if (type.name === 'LabelName' && parent === 'GroupingLabels') groupings.push(text);
      if (parent === 'UnquotedLabelMatcher') matcher.push(text);
    },
    leave: ({ type }) => {
      if (type.name !== 'UnquotedLabelMatcher') return;
      const [label = '', operator = '', value = ''] = matcher.splice(0);
      selectors.at(-1)?.matchers.push({ label, operator, value: JSON.parse(value) });
    },
  });
  return { selectors, groupings };
}

/** The queries in the blocks of a page. A line that is not indented begins a query. */
export function queriesOf(page: string): string[] {
  return blocksOf(page).flatMap(({ language, code }) => (language === 'promql' ? code.trim().split(/\n+(?! )/) : []));
}

/** Runs promtool with a text on its standard input. */
export function promtool(args: string[], input = ''): Promise<Ending> {
  const program = startProgram('promtool', args);
  program.type(input, { last: true });
  return program.ended;
}

/** Writes a file in a directory of its own, for the time of the test. */
export async function writeTemporary(name: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'promtool-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, name), text);
  return join(directory, name);
}

/** Series as promtool's tests write them: `name{labels}` with `start+step x times`. A sample every 15 seconds. */
export type Series = Readonly<Record<string, string>>;

/** Checks with promtool that an expression has a value after five minutes of series; undefined means no value. */
export async function expectValue(expression: string, series: Series, value: number | undefined): Promise<void> {
  const expected = value === undefined ? [] : [{ labels: '{}', value }];
  // The value is rounded, since promtool compares floating point numbers exactly.
  const test = { expr: `round(${expression}, 0.001)`, eval_time: '5m', exp_samples: expected };
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const tests = [{ interval: '15s', input_series: input, promql_expr_test: [test] }];
  // YAML includes JSON.
  const { code, stdout, stderr } = await promtool([
    'test',
    'rules',
    await writeTemporary('test.yaml', JSON.stringify({ tests })),
  ]);
  expect(code, `${stdout}${stderr}`).toBe(0);
}
