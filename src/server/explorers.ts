import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import { type PageBundle, type PageState, preparePage } from '../explorer/bundle.ts';
import { type Example, examplesOf, placeholders } from '../explorer/examples.ts';
import type { SandboxPreset } from '../graphql/apollo.ts';
import { prepareGraphiqlPage, sendPlainPage } from './explorer-pages.ts';
import { GRAPHQL_PATH } from './graphql-route.ts';

/** Where GraphiQL is served. */
export const GRAPHIQL_PATH = '/graphiql';

/** The initial content of the explorers. */
export interface ExplorerPreset {
  readonly examples: readonly Example[];
  /** The bearer token that they send. Only the demo has one. */
  readonly token: string;
}

/** Which explorers are on, and their initial content. */
export interface Explorers {
  readonly sandbox: boolean;
  readonly graphiql: boolean;
  readonly preset: ExplorerPreset;
}

/** Used if no datasets are known. */
const defaultPreset: ExplorerPreset = { examples: examplesOf(placeholders), token: '' };

/** Which explorers are on. By default both are on if there is a preset, and none without. */
export function chooseExplorers(
  { EXPLORER, INTROSPECTION }: Pick<Config, 'EXPLORER' | 'INTROSPECTION'>,
  preset: ExplorerPreset | undefined,
): Explorers {
  const byDefault = EXPLORER === undefined && preset !== undefined;
  const isOn = (name: 'sandbox' | 'graphiql') => INTROSPECTION === 'on' && (byDefault || EXPLORER === name);
  return { sandbox: isOn('sandbox'), graphiql: isOn('graphiql'), preset: preset ?? defaultPreset };
}

/** The examples for Sandbox: one document with several operations, and all their variables. */
export function sandboxPreset({ examples, token }: ExplorerPreset): SandboxPreset {
  return {
    document: examples.map(({ query }) => query).join('\n\n'),
    variables: Object.assign({}, ...examples.map(({ variables }) => variables)),
    headers: { Authorization: `Bearer ${token || 'YOUR-TOKEN'}` },
  };
}

/** Serves `/`, and GraphiQL if it is on. Apollo Server serves Sandbox at the endpoint. */
export async function serveExplorers(app: FastifyInstance, explorers: Explorers): Promise<void> {
  const { sandbox, graphiql, preset } = explorers;
  app.get('/', (request, reply) => {
    if (!graphiql) return reply.redirect(GRAPHQL_PATH);
    if (!sandbox) return reply.redirect(GRAPHIQL_PATH);
    if (!request.headers.accept?.includes('text/html')) return reply.redirect(GRAPHQL_PATH);
    return sendFrontPage(reply);
  });
  if (graphiql) await serveGraphiql(app, preset);
}

function sendFrontPage(reply: FastifyReply): FastifyReply {
  return sendPlainPage(
    reply,
    'dataset-subgraph',
    `<p>Datasets of a data platform, in GraphQL. Try queries in this browser:</p>
<dl>
<dt><a href="${GRAPHIQL_PATH}">GraphiQL</a></dt>
<dd>Served by this server, works offline. Has example queries, the schema’s documentation, charts and maps.</dd>
<dt><a href="${GRAPHQL_PATH}">Apollo Sandbox</a></dt>
<dd>Loaded from Apollo’s servers. It has the same examples and a query builder.</dd>
</dl>`,
  );
}

async function serveGraphiql(app: FastifyInstance, { examples, token }: ExplorerPreset): Promise<void> {
  const bundle = preparePage((line) => process.stderr.write(`${line}\n`));
  app.addHook('onClose', () => bundle.stop());
  await app.register(fastifyStatic, { serve: false });
  app.get(GRAPHIQL_PATH, (_request, reply) => {
    const state = bundle.state();
    if (state.kind !== 'ready') return sendProgress(reply, state);
    return prepareGraphiqlPage(reply).sendFile('index.html', state.directory, { cacheControl: false });
  });
  app.get(`${GRAPHIQL_PATH}/settings.json`, (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send({ endpoint: GRAPHQL_PATH, token, examples }),
  );
  serveAssets(app, bundle);
}

/** The file names of the bundler. They cannot contain a path. */
const assetName = /^\w[\w.-]*$/;

/** Serves the page's scripts, styles and fonts. Their names contain digests of their content, so they never change. */
function serveAssets(app: FastifyInstance, bundle: PageBundle): void {
  app.get<{ Params: { '*': string } }>(`${GRAPHIQL_PATH}/assets/*`, (request, reply) => {
    const state = bundle.state();
    const { '*': name } = request.params;
    if (state.kind !== 'ready' || !assetName.test(name)) return reply.callNotFound();
    return reply
      .header('x-content-type-options', 'nosniff')
      .sendFile(name, join(state.directory, 'assets'), { immutable: true, maxAge: '365d' });
  });
}

const RELOAD_SECONDS = '1';

function sendProgress(reply: FastifyReply, state: Exclude<PageState, { kind: 'ready' }>): FastifyReply {
  reply.status(503);
  if (state.kind === 'failed') return sendPlainPage(reply, 'GraphiQL cannot be shown', `<p>${state.reason}</p>`);
  reply.headers({ refresh: RELOAD_SECONDS, 'retry-after': RELOAD_SECONDS });
  return sendPlainPage(
    reply,
    'GraphiQL is being prepared',
    `<p><progress aria-label="Progress"></progress></p>
<p>${state.modules} modules read so far. This happens once for each version and takes a few seconds. The page then continues by itself.</p>`,
  );
}
