import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shared } from '../../vitest.config.ts';
import { cruiseSources, sourceFolders, violationsOf } from './cruise.ts';
import { folderOf, layerOf, layers, rules } from './layers.ts';

const files = sourceFolders
  .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,cjs}`))
  .filter((file) => !/^\w+\/(test\/|vitest\.config\.ts)/.test(file));
const result = await cruiseSources(rules());
const modules = result.modules.filter(({ source }) => sourceFolders.some((folder) => source.startsWith(`${folder}/`)));
const imports = modules.flatMap(({ source, dependencies }) => dependencies.map((each) => ({ source, ...each })));

describe('Architecture', () => {
  it('has layers, and files in each of them', () => {
    expect(new Set(files.map(layerOf))).toEqual(new Set(Object.keys(layers)));
  });

  it('keeps the rules of test/architecture/layers.ts', () => expect(violationsOf(result)).toEqual([]));

  it('has entries that other layers import', () => {
    const entries = Object.entries(layers).flatMap(([name, { entries = [] }]) =>
      entries.map((entry) => `${folderOf(name)}/${entry}`),
    );
    const used = imports.filter(({ source, resolved }) => layerOf(source) !== layerOf(resolved));
    expect(entries.filter((entry) => !used.some(({ resolved }) => resolved === entry))).toEqual([]);
  });

  it('sees every file, and every import in a type or an expression', () => {
    const seen = modules.map(({ source }) => source).filter((source) => !source.endsWith('.css'));
    expect(seen.toSorted()).toEqual(files.toSorted());
    const written = files.flatMap((source) =>
      [...readFileSync(source, 'utf8').matchAll(/\bimport\('([^']+)'\)/g)].map(([, module]) => ({ source, module })),
    );
    expect(written.length).toBeGreaterThan(5);
    expect(imports).toEqual(expect.arrayContaining(written.map((each) => expect.objectContaining(each))));
  });

  it('is that of test/: `npm test` runs each folder that is no suite of its own', () => {
    const run = globSync(shared.include);
    const others = globSync('test/*/vitest.config.ts').map((file) => `${dirname(file)}/`);
    const tests = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] });
    const missed = tests.filter((file) => !run.includes(file) && !others.some((suite) => file.startsWith(suite)));
    expect(missed).toEqual([]);
  });

  /** The files and packages that are loaded with these files. */
  function loadedWith(...programs: string[]): string[] {
    const loads = imports.filter(
      ({ dependencyTypes }) => !dependencyTypes.includes('type-only') && !dependencyTypes.includes('dynamic-import'),
    );
    const seen = new Set(programs);
    for (const file of seen) {
      for (const { module, resolved } of loads.filter(({ source, coreModule }) => source === file && !coreModule)) {
        seen.add(module.startsWith('.') ? resolved : module);
      }
    }
    return [...seen];
  }

  it('lets a server load nothing of the explorers, of the metrics and of the traces before they are on', () => {
    const loaded = loadedWith('src/main.ts');
    expect(loaded).toContain('fastify');
    expect(
      loaded.filter((name) =>
        /^explorer\/|^@fastify\/static$|^@prometheus-io|metrics.ts$|^@opentelemetry\/sdk/.test(name),
      ),
    ).toEqual([]);
  });

  it('lets a question from the terminal load what it takes, and no server', () => {
    const loaded = loadedWith('ask/cli.ts', 'ask/src/ask.ts').filter((name) => !name.startsWith('ask/'));
    expect(loaded.toSorted()).toEqual([
      '@bomb.sh/tab/commander',
      'commander',
      'engine/dates.ts',
      'src/config.ts',
      'src/core/bearer-token.ts',
      'src/core/csv-field.ts',
      'src/core/dataset-id.ts',
      'src/core/dates.ts',
      'src/core/error-codes.ts',
      'src/core/loopback.ts',
      'src/core/package.ts',
      'src/core/root-fields.ts',
      'src/core/sanitize-for-terminal.ts',
      'src/core/size-text.ts',
      'src/core/spreadsheet-field.ts',
      'src/node-version.cjs',
      'src/output.ts',
      'string-width',
      'zod',
    ]);
  });

  it('loads nothing while it serves: what is loaded on demand is there before a port opens', () => {
    const late = imports.filter(
      ({ source, dependencyTypes }) =>
        source.startsWith('src/') &&
        dependencyTypes.includes('dynamic-import') &&
        !dependencyTypes.includes('type-only'),
    );
    expect([...new Set(late.map(({ source }) => source))].toSorted()).toEqual([
      'src/server/features/explorers.ts',
      'src/telemetry/telemetry.ts',
      'src/telemetry/trace-export.ts',
    ]);
  });

  it('has no generator that is a closure: V8 keeps what each of them refers to until the next full garbage collection', () => {
    const served = files.filter((file) => /^(src|engine|files|explorer\/server)\//.test(file));
    const closures = served.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^.*\bfunction\*.*$/gm)]
        .filter(([line]) => !/^(export )?(async )?function\* \w+/.test(line))
        .map(([line]) => ({ file, line })),
    );
    expect(closures).toEqual([]);
  });

  it('reads the environment in one place', () => {
    // What npm tells a script, and the certificates that OpenTelemetry's exporter would read by itself.
    const others = ['ask/src/command-names.ts', 'src/telemetry/trace-export.ts'];
    const readers = files.filter(
      (file) => !others.includes(file) && readFileSync(file, 'utf8').includes('process.env'),
    );
    const programs = ['ask/cli', 'ask/login', 'simulator/demo', 'src/main', 'src/manifest', 'src/schema'];
    expect(readers.toSorted()).toEqual(programs.map((name) => `${name}.ts`));
    for (const file of readers) {
      expect(readFileSync(file, 'utf8').match(/process\.env/g)).toHaveLength(1);
      expect(readFileSync(file, 'utf8')).toMatch(/\bread(Config|AskSettings|LoginSettings)\(process\.env[,)]/);
    }
  });
});

describe('The rules of test/architecture/layers.ts', () => {
  /** What the rules say of other sources: the text of each file, by its path. */
  async function violations(sources: Record<string, string>): Promise<string[]> {
    const baseDir = mkdtempSync(join(tmpdir(), 'architecture-'));
    try {
      for (const [path, text] of Object.entries(sources)) {
        mkdirSync(join(baseDir, dirname(path)), { recursive: true });
        writeFileSync(join(baseDir, path), text);
      }
      return violationsOf(await cruiseSources(rules(), baseDir));
    } finally {
      rmSync(baseDir, { recursive: true });
    }
  }

  const type = 'export type T = string;\n';

  it('refuse a layer by each kind of import, a package, a circle, a file that is no entry, and a feature', async () => {
    const imports = [
      "import { T } from '../server/app.ts';\nconsole.log(T);\n",
      "import type { T } from '../server/app.ts';\nexport type U = T;\n",
      "import { type T } from '../server/app.ts';\nexport type U = T;\n",
      "export type { T } from '../server/app.ts';\n",
      "export const load = () => import('../server/app.ts');\n",
    ];
    const feature = "import type { T } from '../../explorer/server/explorers.ts';\nexport type U = T;\n";
    const found = await violations({
      ...Object.fromEntries(imports.map((text, index) => [`src/rest/${index}.ts`, text])),
      'src/rest/a.ts': "import 'fastify';\nimport type { B } from './b.ts';\nexport type A = B;\n",
      'src/rest/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n",
      'src/main.ts': "import type { T } from './server/http-server.ts';\nexport type U = T;\n",
      'src/server/app.ts': type + feature,
      'src/server/http-server.ts': type,
      'src/server/http-app.ts': feature,
      'explorer/server/explorers.ts': type,
    });
    expect(found.toSorted()).toEqual([
      'features-are-registered-by-the-app: src/server/http-app.ts -> explorer/server/explorers.ts',
      'no-circular: src/rest/a.ts -> src/rest/b.ts',
      ...imports.map((_, index) => `rest-may-import-these-layers: src/rest/${index}.ts -> src/server/app.ts`),
      'rest-may-import-these-packages: src/rest/a.ts -> fastify',
      'server-is-entered-by-its-entries: src/main.ts -> src/server/http-server.ts',
    ]);
  });

  it('allow the layers and packages of the table, modules of Node.js, and entries', async () => {
    const found = await violations({
      'src/main.ts': "import type { T } from './server/app.ts';\nexport type U = T;\n",
      'src/server/app.ts':
        "import 'fastify';\nimport 'node:fs/promises';\nimport '../rest/a.ts';\nexport type T = string;\n",
      'src/rest/a.ts': "import 'undici';\nimport 'zod/mini';\n",
    });
    expect(found).toEqual([]);
  });
});
