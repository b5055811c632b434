import type { IForbiddenRuleType } from 'dependency-cruiser';
import { sourceFolders } from './cruise.ts';

/** What the files of one layer may import, beside each other. */
interface Layer {
  /** The layers, each with the folders in it. The name '' means the programs. */
  readonly layers: readonly string[];
  /** The npm packages. Modules of Node.js are free. */
  readonly packages: readonly string[];
  /** The only files that other layers may import. Without it: each file. */
  readonly entries?: readonly string[];
}

/** The folders of the layers outside of `src/`. */
const outerFolders: Readonly<Record<string, string>> = {
  explorer: 'explorer/src',
  'explorer/page': 'explorer/page',
  'explorer/server': 'explorer/server',
  files: 'files',
  simulator: 'simulator/src',
  ask: 'ask/src',
  'ask/mcp': 'ask/src/mcp',
  engine: 'engine',
};

/**
 * Who may import whom: data flows from the server to the REST service through these layers, and never around one. The key
 * is a folder of `src/`, or one of `outerFolders`; a file belongs to the longest key that contains it. Type-only imports count.
 */
export const layers: Readonly<Record<string, Layer>> = {
  // It is used as a library: it imports nothing, and others import its face alone, and the dates that pages need too.
  engine: { layers: [], packages: [], entries: ['index.ts', 'dates.ts'] },
  core: { layers: ['engine'], packages: [] },
  'rest/contract': { layers: ['core', 'engine'], packages: ['zod'] },
  'rest/admission': { layers: ['core', 'rest/contract'], packages: [] },
  'rest/transport': { layers: ['core', 'rest/contract', 'rest/admission'], packages: ['undici'] },
  'rest/cache': {
    layers: ['core', 'rest/contract', 'rest/admission', 'rest/transport'],
    packages: ['lru-cache'],
  },
  rest: {
    layers: ['core', 'rest/contract', 'rest/admission', 'rest/transport', 'rest/cache'],
    packages: ['undici', 'zod'],
  },
  results: { layers: ['core', 'engine', 'rest/contract'], packages: [], entries: ['results.ts'] },
  telemetry: {
    layers: ['core', 'rest', 'rest/contract', 'rest/transport', 'rest/cache', 'results'],
    packages: ['pino', '@prometheus-io/client', '@opentelemetry/[^/]+'],
    entries: ['telemetry.ts'],
  },
  files: {
    layers: ['core', 'engine', 'graphql', 'rest', 'rest/contract', 'rest/admission', 'rest/transport', 'server'],
    packages: ['fastify', 'content-disposition', 'jose', 'hyparquet-writer', 'apache-arrow'],
    entries: ['files.ts'],
  },
  loaders: {
    layers: ['core', 'results', 'rest', 'rest/contract'],
    packages: ['dataloader', 'lru-cache'],
    entries: ['loaders.ts', 'suspensions.ts', 'printed-calls.ts'],
  },
  'graphql/execution': { layers: [], packages: ['graphql'] },
  'graphql/plan': {
    layers: ['core', 'engine', 'generated', 'graphql', 'graphql/execution', 'loaders', 'results', 'rest/contract'],
    packages: ['graphql'],
  },
  'graphql/resolvers': {
    layers: ['core', 'engine', 'graphql', 'graphql/plan', 'generated', 'loaders', 'results'],
    packages: ['graphql'],
  },
  graphql: {
    layers: ['core', 'engine', 'generated', 'graphql/execution', 'graphql/plan', 'loaders', 'results', 'rest/contract'],
    packages: ['graphql', '@apollo/server', '@apollo/subgraph', 'lru-cache'],
  },
  'explorer/page': {
    layers: ['core', 'explorer'],
    packages: [
      'react',
      'react-dom',
      'graphql',
      'graphiql',
      '@graphiql/[^/]+',
      'monaco-[^/]+',
      '@tanstack/react-virtual',
      'echarts',
      'topojson-client',
      'world-atlas',
    ],
    entries: [],
  },
  'explorer/server': {
    layers: ['core', 'explorer', 'graphql', 'rest', 'server'],
    packages: ['fastify', '@fastify/static'],
    entries: ['explorers.ts'],
  },
  explorer: { layers: ['core'], packages: ['vite'], entries: ['bundle.ts', 'examples.ts', 'tokens.ts'] },
  server: {
    layers: [
      ...['core', 'explorer/server', 'files', 'graphql', 'graphql/plan', 'loaders', 'results', 'telemetry', ''],
      ...['rest', 'rest/contract', 'rest/admission', 'rest/transport', 'rest/cache'],
    ],
    packages: ['fastify', '@fastify/cors', '@apollo/server'],
    // Beside the app, what the plugins respond with.
    entries: [
      'app.ts',
      'connections/connection.ts',
      'requests/observe-requests.ts',
      'responses/chunk-sinks.ts',
      'responses/content-negotiation.ts',
      'responses/json-errors.ts',
    ],
  },
  generated: { layers: ['graphql'], packages: ['graphql'], entries: ['resolvers.ts', 'schema.ts'] },
  simulator: { layers: ['core'], packages: [], entries: ['simulator.ts', 'demo-data.ts'] },
  ask: {
    layers: ['core', ''],
    packages: ['cli-progress', 'content-disposition', 'string-width', 'zod'],
    entries: [
      'command-names.ts',
      ...['ask.ts', 'failure.ts', 'file-format.ts', 'settings.ts', 'time.ts'],
      // What the tools for models need to be clients as well.
      ...['client.ts', 'graphql-response.ts', 'json-view.ts'],
    ],
  },
  'ask/mcp': {
    layers: ['core', 'graphql', 'ask', ''],
    packages: ['graphql', 'zod', '@modelcontextprotocol/server'],
    entries: ['mcp.ts'],
  },
  '': {
    layers: ['core', 'server', 'explorer', 'graphql', 'rest', 'simulator', 'ask', 'ask/mcp'],
    packages: ['@bomb.sh/tab', 'commander', 'zod', '@inquirer/input', '@inquirer/password'],
  },
};

/** The layers that the server has as plugins: in `src/` only its wiring imports them. */
const features = ['explorer/server', 'files'];

/** The layer that a file belongs to. */
export function layerOf(path: string): string {
  const inside = Object.keys(layers).filter((name) => path.startsWith(`${folderOf(name)}/`));
  return inside.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

/** The rules for dependency-cruiser. */
export function rules(): IForbiddenRuleType[] {
  return [
    { name: 'no-circular', from: { pathNot: '^engine/' }, to: { circular: true } },
    // The types of the engine are one module.
    {
      name: 'no-circular-engine',
      from: { path: '^engine/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only' as const] } },
    },
    {
      name: 'features-are-registered-by-the-app',
      from: { path: '^src/', pathNot: '^src/server/(app|subgraph|features/explorers)[.]ts$' },
      to: { path: features.map(folder) },
    },
    ...Object.entries(layers).flatMap(([name, layer]) => layerRules(name, layer)),
  ].map((rule) => ({ ...rule, severity: 'error' }));
}

/** The rules of one layer: the layers and the packages that it may import, and the files by which it is entered. */
function layerRules(name: string, { layers: others, packages, entries }: Layer): IForbiddenRuleType[] {
  const label = name === '' ? 'programs' : name.replace('/', '-');
  const from = { path: folder(name), pathNot: layersWithin(name) };
  const found: IForbiddenRuleType[] = [
    {
      name: `${label}-may-import-these-layers`,
      from,
      to: { path: `^(${sourceFolders.join('|')})/`, pathNot: [name, ...others].map(folder) },
    },
    {
      name: `${label}-may-import-these-packages`,
      from,
      // An installed package by its path, and one that is not by its name.
      to: {
        dependencyTypesNot: ['local', 'core'],
        pathNot: packages.map((pattern) => `(^|^node_modules/)${pattern}(/|$)`),
      },
    },
  ];
  if (entries !== undefined) {
    found.push({
      name: `${label}-is-entered-by-its-entries`,
      from: { pathNot: folder(name) },
      to: {
        path: folder(name),
        pathNot: [...layersWithin(name), ...entries.map((entry) => `^${folderOf(name)}/${entry}$`)],
      },
    });
  }
  return found;
}

/** The folder of a layer that is not the programs. */
export function folderOf(name: string): string {
  return outerFolders[name] ?? `src/${name}`;
}

/** A pattern of the files of a layer. The programs are in the top folders. */
function folder(name: string): string {
  return name === '' ? '^(src|ask|simulator)/[^/]+$' : `^${folderOf(name)}/`;
}

/** Patterns of the layers within the folder of another one. */
function layersWithin(name: string): string[] {
  return Object.keys(layers)
    .filter((each) => name !== '' && each.startsWith(`${name}/`))
    .map(folder);
}
