import { globSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom: data flows from the server to the REST service through these rooms, and never around one. */
const allowed: Record<string, { rooms: string[]; packages: RegExp }> = {
  rest: { rooms: ['rest'], packages: /^(undici|zod)$/ },
  results: { rooms: ['results', 'rest'], packages: /^$/ },
  downloads: { rooms: ['downloads', 'rest'], packages: /^(content-disposition|jose)$/ },
  loaders: { rooms: ['loaders', 'results', 'rest'], packages: /^dataloader$/ },
  'graphql/resolvers': { rooms: ['graphql', 'generated', 'loaders', 'results'], packages: /^graphql$/ },
  graphql: {
    rooms: ['graphql', 'generated', 'loaders', 'results', 'rest'],
    packages: /^(graphql|@apollo\/|@graphql-tools\/utils$)/,
  },
  'explorer/page': {
    rooms: ['explorer/page', 'csv'],
    packages:
      /^(react|react-dom\/client|graphql|graphiql.*|@graphiql\/.*|monaco-.*|echarts\/.*|topojson-client|world-atlas\/.*)$/,
  },
  explorer: { rooms: ['explorer'], packages: /^vite$/ },
  server: {
    rooms: ['server', 'downloads', 'explorer', 'graphql', 'loaders', 'results', 'rest', ''],
    packages: /^(fastify|pino|@fastify\/cors|@fastify\/static|@apollo\/server)$/,
  },
  csv: { rooms: [], packages: /^$/ },
  generated: { rooms: ['graphql'], packages: /^graphql$/ },
  simulator: { rooms: ['simulator'], packages: /^$/ },
  cli: {
    rooms: ['cli', 'csv', 'downloads', 'rest', ''],
    packages: /^(cli-progress|content-disposition|string-width|zod)$/,
  },
  '': {
    rooms: ['', 'server', 'explorer', 'graphql', 'rest', 'simulator', 'cli'],
    packages: /^(commander$|zod$|@inquirer\/)/,
  },
};

const files = globSync('src/**/*.{ts,tsx,cjs}');
const importing = /^(?:import\s[^'=]*|export\s[^'=]*from\s)'([^']+)'/gm;
const loading = /^(?:import\s(?!type\s)[^'=]*|export\s[^'=]*from\s)'([^']+)'/gm;
const importingLater = /\bimport\('([^']+)'\)/g;

function roomOf(path: string): string {
  const room = dirname(path).split('/').slice(1).join('/');
  return Object.keys(allowed).find((name) => name !== '' && (room === name || room.startsWith(`${name}/`))) ?? '';
}

const importsOf = (pattern: RegExp) =>
  files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, specifier = '']) => ({ file, specifier })),
  );
const imports = [...importsOf(importing), ...importsOf(importingLater)];

describe('Architecture', () => {
  it('has rooms, and files in each of them', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(allowed)));
  });

  it('lets a room import only from the rooms that it may know', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const target = roomOf(normalize(`${dirname(file)}/${specifier}`));
      const rooms = allowed[roomOf(file)]?.rooms ?? [];
      return !rooms.some((room) => target === room || (room !== '' && target.startsWith(`${room}/`)));
    });
    expect(wrong).toEqual([]);
  });

  it('lets a room import only the packages that it is there for', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      return !/^(\.|node:)/.test(specifier) && !allowed[roomOf(file)]?.packages.test(specifier);
    });
    expect(wrong).toEqual([]);
  });

  it('lets a question from the terminal load what it takes, and no server', () => {
    const loads = importsOf(loading);
    const seen = new Set(['src/cli.ts', 'src/cli/ask.ts']);
    for (const file of seen) {
      for (const { specifier } of loads.filter((each) => each.file === file)) {
        seen.add(specifier.startsWith('.') ? normalize(`${dirname(file)}/${specifier}`) : specifier);
      }
    }
    const loaded = [...seen].filter((name) => !/^(node:|src\/cli[./])/.test(name));
    expect(loaded.toSorted()).toEqual([
      'commander',
      'src/config.ts',
      'src/csv/field.ts',
      'src/node-version.cjs',
      'src/rest/bearer-token.ts',
      'src/rest/dataset-id.ts',
      'string-width',
      'zod',
    ]);
  });

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => readFileSync(file, 'utf8').includes('process.env'));
    expect(readers.toSorted()).toEqual(['src/cli.ts', 'src/demo.ts', 'src/login.ts', 'src/main.ts', 'src/schema.ts']);
    for (const file of readers) {
      expect(readFileSync(file, 'utf8').match(/process\.env/g)).toHaveLength(1);
      expect(readFileSync(file, 'utf8')).toContain('readConfig(process.env)');
    }
  });
});
