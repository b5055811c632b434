import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import type { SandboxPreset } from '../../src/graphql/apollo.ts';
import type { NamedOperation } from '../../src/graphql/documents/operation-files.ts';
import { type PageBundle, type PageState, preparePage } from '../src/bundle.ts';
import { type Example, examplesOf, placeholders } from '../src/examples.ts';
import { prepareGraphiqlPage, sendPlainPage, workerPolicy } from './explorer-pages.ts';
import { type Login, serveLogin } from './login-route.ts';
import { type DatasetSummary, sendStartPage } from './start-page.ts';

const START_PATH = '/';

/** Where GraphiQL is served. */
const GRAPHIQL_PATH = '/graphiql';

/** Where the pages of this server log in. */
const LOGIN_PATH = `${GRAPHIQL_PATH}/login`;

/** Where the pages of datasets are served, each at its id. */
const DATASETS_PATH = '/datasets';

/** The initial content of the explorers. */
export interface ExplorerPreset {
  readonly examples: readonly Example[];
  /** The bearer token that they send. Only the demo has one. */
  readonly token: string;
  /** The datasets of the start page. Without any it shows those that were used before in the browser. */
  readonly datasets: readonly DatasetSummary[];
}

/** Used if no datasets are known. */
const defaultPreset: ExplorerPreset = { examples: examplesOf(placeholders), token: '', datasets: [] };

/** Which explorers are on, and what they have. */
export interface ExplorerOptions {
  readonly sandbox: boolean;
  readonly graphiql: boolean;
  readonly preset?: ExplorerPreset | undefined;
  /** The login of the pages. Undefined if they have none. */
  readonly login: Login | undefined;
  /** The operations of `operations/`. */
  readonly operations: readonly NamedOperation[];
  /** The path of the GraphQL endpoint. */
  readonly endpoint: string;
}

/** The explorers that are on. */
export interface Explorers {
  /** The initial content of Sandbox, which Apollo Server serves at the endpoint. Undefined if Sandbox is off. */
  readonly sandbox: SandboxPreset | undefined;
  /** Undefined if GraphiQL is off. */
  readonly pages: ExplorerPages | undefined;
}

/** The pages of this server. */
export interface ExplorerPages {
  readonly startPath: string;
  readonly graphiqlPath: string;
  /** Serves the start page, GraphiQL and the pages of datasets. */
  readonly plugin: FastifyPluginAsync;
}

/** What the pages are made of. */
interface PageContent {
  readonly preset: ExplorerPreset;
  readonly login: Login | undefined;
  readonly endpoint: string;
  /** Whether the endpoint serves Sandbox. */
  readonly sandbox: boolean;
  /** The text of an operation of `operations/`. */
  readonly textOf: (operation: string) => string;
}

/** Makes the explorers. It serves nothing yet. */
export function createExplorers(options: ExplorerOptions): Explorers {
  const { sandbox, graphiql, preset = defaultPreset, operations } = options;
  const texts = new Map(operations.map(({ name, text }) => [name, text]));
  const textOf = (name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`There is no operation ${name}.`);
    return text;
  };
  const plugin = (app: FastifyInstance) => servePages(app, { ...options, preset, textOf });
  return {
    sandbox: sandbox ? sandboxPreset(preset, textOf) : undefined,
    pages: graphiql ? { startPath: START_PATH, graphiqlPath: GRAPHIQL_PATH, plugin } : undefined,
  };
}

/** The examples for Sandbox: one document with several operations, and all their variables. */
function sandboxPreset({ examples, token }: ExplorerPreset, textOf: PageContent['textOf']): SandboxPreset {
  return {
    document: examples.map(({ operation }) => textOf(operation)).join('\n\n'),
    variables: Object.assign({}, ...examples.map(({ variables }) => variables)),
    headers: { Authorization: `Bearer ${token || 'YOUR-TOKEN'}` },
  };
}

async function servePages(app: FastifyInstance, content: PageContent): Promise<void> {
  const { preset, endpoint, sandbox } = content;
  const sendPage = await serveGraphiql(app, content);
  app.get(START_PATH, (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.redirect(sandbox ? endpoint : GRAPHIQL_PATH);
    // Only a script can read which datasets were used in the browser.
    if (preset.datasets.length === 0) return sendPage(reply);
    const links = { datasets: DATASETS_PATH, graphiql: GRAPHIQL_PATH, sandbox: sandbox ? endpoint : undefined };
    return sendStartPage(reply, preset.datasets, links);
  });
}

/** Serves GraphiQL and the pages of datasets, which are one page, and returns what sends it. */
async function serveGraphiql(
  app: FastifyInstance,
  { preset: { examples, token, datasets }, login, endpoint, textOf }: PageContent,
): Promise<(reply: FastifyReply) => FastifyReply> {
  const bundle = preparePage((line) => process.stderr.write(`${line}\n`));
  app.addHook('onClose', () => bundle.stop());
  await app.register(fastifyStatic, { serve: false, preCompressed: true });
  const sendPage = (reply: FastifyReply) => {
    const state = bundle.state();
    if (state.kind !== 'ready') return sendProgress(reply, state);
    return prepareGraphiqlPage(reply).sendFile('index.html', state.directory, { cacheControl: false });
  };
  const settings = {
    endpoint,
    token,
    ...(login && { login: LOGIN_PATH }),
    examples: examples.map(({ operation, variables }) => ({ query: textOf(operation), variables })),
    // The page writes these itself.
    operations: {
      columns: textOf('Columns'),
      reducedColumns: textOf('ReducedColumns'),
      quantilesByDate: textOf('QuantilesByDate'),
      byDateWithAssets: textOf('ByDateWithAssets'),
      compareRanges: textOf('CompareRanges'),
      compareByDate: textOf('CompareByDate'),
      compareDatasets: textOf('CompareDatasets'),
      periodMap: textOf('PeriodMap'),
      rowsFile: textOf('RowsFile'),
      statistics: textOf('MetricStatistics'),
      download: textOf('Download'),
      metadata: textOf('Metadata'),
      outline: textOf('Outline'),
    },
    datasets: datasets.map(({ id, name, assetCount, linkedAssetIds }) => ({
      id,
      name,
      hasAssets: assetCount > 0,
      linkedAssetIds,
    })),
  };
  app.get(GRAPHIQL_PATH, (_request, reply) => sendPage(reply));
  // A parameter of a path could have at most 100 characters.
  app.get<{ Params: { '*': string } }>(`${DATASETS_PATH}/*`, (request, reply) =>
    request.params['*'] === '' ? reply.callNotFound() : sendPage(reply),
  );
  app.get(`${GRAPHIQL_PATH}/settings.json`, (_request, reply) =>
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).send(settings),
  );
  if (login !== undefined) serveLogin(app, LOGIN_PATH, login);
  serveAssets(app, bundle);
  return sendPage;
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
      .headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': workerPolicy })
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
