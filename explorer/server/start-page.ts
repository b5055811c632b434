import type { FastifyReply } from 'fastify';
import { sendPlainPage } from './explorer-pages.ts';
import { type Sketch, sketchSvg } from './sketch.ts';

/** A dataset of the start page, and what it holds. */
export interface DatasetSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The number of assets; 0 if there is only a file. */
  readonly assetCount: number;
  /** The ids of the assets that a link into GraphiQL selects, if all would be too many to draw. */
  readonly linkedAssetIds?: readonly string[] | undefined;
  /** The names of the metrics. */
  readonly metrics: readonly string[];
  /** The first and the last day, such as 2012-01-01. */
  readonly days: readonly [first: string, last: string];
  readonly attribution: string;
  /** The name of the file of a static dataset; undefined if there is none. */
  readonly fileName: string | undefined;
  /** What its metrics look like; empty if there is only a file. */
  readonly sketches: readonly Sketch[];
}

/** The paths that the start page links. */
export interface StartPageLinks {
  /** What the pages of datasets begin with. */
  readonly datasets: string;
  readonly graphiql: string;
  /** Undefined if Sandbox is off. */
  readonly sandbox: string | undefined;
}

/** Sends the start page with these datasets. It has no scripts: each dataset is a link to its page. */
export function sendStartPage(
  reply: FastifyReply,
  datasets: readonly DatasetSummary[],
  { datasets: path, graphiql, sandbox }: StartPageLinks,
): FastifyReply {
  return sendPlainPage(
    reply,
    'dataset-subgraph',
    `<p>Datasets of a data platform, in GraphQL. Open one to see its chart:</p>
<ul class="datasets">
${datasets.map((dataset) => datasetItem(dataset, path)).join('\n')}
</ul>
<h2>Explorers</h2>
<dl>
<dt><a href="${graphiql}">GraphiQL</a></dt>
<dd>Served by this server, works offline. Has example queries, the schema’s documentation, charts and maps.</dd>
${sandbox === undefined ? '' : sandboxItem(sandbox)}</dl>`,
  );
}

function sandboxItem(path: string): string {
  return `<dt><a href="${path}">Apollo Sandbox</a></dt>
<dd>Loaded from Apollo’s servers. It has the same examples and a query builder.</dd>
`;
}

function datasetItem(dataset: DatasetSummary, path: string): string {
  const { id, name, description, assetCount, metrics, days, attribution, fileName, sketches } = dataset;
  const facts = [
    ['Assets', assetCount === 0 ? 'none, only a file' : String(assetCount)],
    ['Metrics', metrics.join(', ')],
    ['Time', days.join(' to ')],
    ['File', fileName ?? 'none'],
    ['Source', attribution],
  ].filter(([, value]) => value !== '');
  return `<li>
<div>
<h2><a href="${path}/${encodeURIComponent(id)}">${escapeHtml(name)}</a></h2>
<p>${escapeHtml(description)}</p>
<dl class="facts">
${facts.map(([label = '', value = '']) => `<div><dt>${label}</dt><dd>${escapeHtml(value)}</dd></div>`).join('\n')}
</dl>
</div>
<div class="sketches">
${sketches.map((sketch) => `<figure>${sketchSvg(sketch)}<figcaption>${escapeHtml(sketch.metric)}</figcaption></figure>`).join('\n')}
</div>
</li>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
