import { charts } from './charts.ts';
import { csv } from './csv.ts';
import type { GraphQLResponse } from './graphql-response.ts';
import { harmless, harmlessJson } from './harmless.ts';
import type { JsonView } from './json-view.ts';
import { print } from './output.ts';
import { overview } from './overview.ts';
import type { Question } from './question.ts';
import type { Display } from './terminal.ts';

/** How an answer is shown: what a dataset is and its assets; charts of metrics; or for other programs. */
export type Form = 'overview' | 'charts' | 'json' | 'csv';

/** What came of showing an answer. */
export interface Shown {
  /** Whether anything that was asked for could be shown. */
  readonly something: boolean;
  /** What was asked for and is not there, a sentence each. */
  readonly missing: readonly string[];
  /** What is there and has no room, a sentence each. */
  readonly hidden: readonly string[];
}

/** Writes an answer to standard output. At a terminal nothing in it can do harm; elsewhere every byte is as it was sent. */
export async function show(
  { data, dataset }: GraphQLResponse,
  form: Form,
  question: Question,
  { display, signal }: { display: Display; signal: AbortSignal },
): Promise<Shown> {
  const atTerminal = display.width !== undefined;
  if (form === 'json' && data !== undefined) {
    await print(atTerminal ? harmlessJson(data.bytes.toString()) : data.bytes, signal);
    await print('\n', signal);
  }
  if (dataset === undefined) return { something: false, missing: [], hidden: [] };
  const missing = missingFrom(dataset, question);
  if (form === 'overview') {
    const { lines, something } = overview(question.datasetId, dataset, display);
    if (something) await print(`${lines.join('\n')}\n`, signal);
    return { something, missing, hidden: [] };
  }
  if (form === 'charts') {
    const { lines, hidden } = charts(dataset, question.metrics, display);
    if (lines.length > 0) await print(`${lines.join('\n')}\n`, signal);
    return { something: lines.length > 0, missing, hidden };
  }
  if (form === 'json') return { something: hasContent(dataset), missing, hidden: [] };
  const nodes = dataset.member('results', 'series', 'nodes');
  if (nodes !== undefined) {
    for (const chunk of csv(dataset))
      await print(atTerminal ? chunk.split('\r\n').map(harmless).join('\r\n') : chunk, signal);
  }
  const something = nodes !== undefined && (question.assetIds.length === 0 || !isEmpty(nodes));
  return { something, missing, hidden: [] };
}

/** Private. Whether a dataset has anything but the id that it was asked for by. */
function hasContent(dataset: JsonView): boolean {
  return dataset.members().some(([name, view]) => name !== 'id' && view.bytes.toString('latin1', 0, 4) !== 'null');
}

function isEmpty(list: JsonView): boolean {
  return list.elements().next().done === true;
}

/** Private. The assets and metrics that were asked for by name, and that an answer with results does not have. */
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
    ...assetIds.filter((id) => !present.assets.has(id)).map((id) => `There are no results of asset ${id} here.`),
    ...metrics
      .filter((name) => !present.metrics.has(name))
      .map((name) => `There are no values of ${name} here${known === '' ? '' : `; there are those of ${known}`}.`),
  ];
}
