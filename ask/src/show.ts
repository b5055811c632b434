import { harmlessJson, sanitizeForTerminal } from '../../src/core/sanitize-for-terminal.ts';
import { charts } from './charts.ts';
import { type Computed, computedCsv, hasComputed, tables } from './computed.ts';
import { csv } from './csv.ts';
import type { GraphQLResponse } from './graphql-response.ts';
import type { JsonView } from './json-view.ts';
import { overview } from './overview.ts';
import type { Question } from './question.ts';
import type { Display } from './terminal.ts';

/** How a response is shown: an overview of the dataset, charts or tables of metrics, or output for other programs. */
export type Form = 'overview' | 'charts' | 'tables' | 'json' | 'csv';

/** The result of showing a response. */
export interface Shown {
  /** Whether any requested data was shown. */
  readonly something: boolean;
  /** A message for each requested asset or metric that is missing. */
  readonly missing: readonly string[];
  /** A message for each chart that omits assets. */
  readonly hidden: readonly string[];
}

/** Where a response is written to, and what that can display. */
export interface Output {
  readonly display: Display;
  readonly write: (chunk: string | Uint8Array) => Promise<void>;
}

/** Writes a response: sanitised for a terminal, otherwise byte for byte. */
export async function show(
  { data, dataset }: GraphQLResponse,
  form: Form,
  question: Question,
  { display, write }: Output,
): Promise<Shown> {
  const atTerminal = display.width !== undefined;
  if (form === 'json' && data !== undefined) {
    await write(atTerminal ? harmlessJson(data.bytes.toString()) : data.bytes);
    await write('\n');
  }
  if (dataset === undefined) return { something: false, missing: [], hidden: [] };
  const missing = missingFrom(dataset, question);
  if (form === 'overview') {
    const { lines, something } = overview(question.datasetId, dataset, display);
    if (something) await write(`${lines.join('\n')}\n`);
    return { something, missing, hidden: [] };
  }
  if (form === 'charts') {
    const { lines, hidden } = charts(dataset, question.metrics, display);
    if (lines.length > 0) await write(`${lines.join('\n')}\n`);
    return { something: lines.length > 0, missing, hidden };
  }
  const computed = question.values?.kind === 'columns' ? undefined : question.values;
  if (form === 'tables' && computed !== undefined) {
    const lines = tables(dataset, computed, display);
    if (lines.length > 0) await write(`${lines.join('\n')}\n`);
    return { something: lines.length > 0, missing, hidden: [] };
  }
  if (form === 'json') return { something: hasContent(dataset), missing, hidden: [] };
  const nodes = dataset.member('results', 'series', 'nodes');
  if (nodes !== undefined) {
    for (const chunk of computed === undefined ? csv(dataset) : computedCsv(dataset, computed))
      await write(atTerminal ? chunk.split('\r\n').map(sanitizeForTerminal).join('\r\n') : chunk);
  }
  const something = nodes !== undefined && hasValues(nodes, question, computed);
  return { something, missing, hidden: [] };
}

/** Whether a dataset has data besides its id. */
function hasContent(dataset: JsonView): boolean {
  return dataset.members().some(([name, view]) => name !== 'id' && view.bytes.toString('latin1', 0, 4) !== 'null');
}

/** Whether CSV has any requested data. A dataset without results is shown as it is. */
function hasValues(nodes: JsonView, { assetIds }: Question, computed: Computed | undefined): boolean {
  if (nodes.elements().next().done === true) return assetIds.length === 0;
  return computed === undefined || nodes.elements().some((node) => hasComputed(node, computed));
}

/** A message for each requested asset and metric that the results lack. */
function missingFrom(dataset: JsonView, { assetIds, metrics }: Question): string[] {
  const nodes = dataset.member('results', 'series', 'nodes');
  if (nodes === undefined || (assetIds.length === 0 && metrics.length === 0)) return [];
  const present = { assets: new Set<unknown>(), metrics: new Set<unknown>() };
  for (const node of nodes.elements()) {
    present.assets.add(node.member('asset', 'assetId')?.parse());
    for (const name of node.member('metricNames')?.elements() ?? []) present.metrics.add(name.parse());
  }
  const known = [...present.metrics].join(', ');
  return [
    ...assetIds.filter((id) => !present.assets.has(id)).map((id) => `No results found for asset ${id}.`),
    ...metrics
      .filter((name) => !present.metrics.has(name))
      .map((name) => `No values found for metric ${name}${known === '' ? '' : `; available metrics: ${known}`}.`),
  ];
}
