import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { DATASET_ID, dataset, queryAt, send, startService, TOKEN } from '../support/harness.ts';
import { type Ending, endpointOf, PROJECT, type Program, startProgram } from '../support/process.ts';

/** The two commands of the README that install the package and start the demo. */
const [INSTALL = '', DEMO = ''] = blocksOf('README.md')
  .filter(({ code }) => code.includes('npx dataset-subgraph'))
  .flatMap(({ code }) => code.trim().split('\n'));

/** The Node.js of this test comes first, so the package runs on it too. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;

/** Settings of npm: quiet, nothing unnecessary from the registry, and no other package under the command's name. */
const npmSettings = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
  npm_config_yes: 'false',
};

const PACK_MS = 180_000;
const INSTALL_MS = 180_000;

const run = promisify(execFile);

/** An empty folder outside of the project, into which the package is installed. */
let folder = '';
/** The paths of the package's files. */
let files: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  await rm(join(PROJECT, 'dist'), { recursive: true, force: true });
  await mkdir(join(PROJECT, 'dist'));
  await writeFile(join(PROJECT, 'dist/stale.js'), '');
  await run('npm', ['pack', '--pack-destination', folder], { cwd: PROJECT, timeout: PACK_MS });
  const { stdout } = await run('tar', ['-tzf', ...globSync('*.tgz', { cwd: folder })], { cwd: folder });
  files = stdout.trim().split('\n');
  const env = { ...process.env, ...npmSettings, PATH };
  await run('bash', ['-c', INSTALL], { cwd: folder, env, timeout: INSTALL_MS });
}, PACK_MS + INSTALL_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a command line in the folder. */
function startThere(commandLine: string, env: Record<string, string> = {}): Program {
  return startProgram('bash', ['-c', commandLine], {
    cwd: folder,
    env: { ...npmSettings, PATH, ...env },
    ownGroup: true,
  });
}

/** Runs the installed command without npx, which takes a second. */
function runThere(args: string, env?: Record<string, string>): Promise<Ending> {
  return startThere(`node_modules/.bin/dataset-subgraph ${args}`, env).ended;
}

describe('1 npm pack', () => {
  it('leaves nothing of an earlier build', () => {
    const isOfPage = (file: string) => /^explorer\/(page|built-page|src\/build\.)/.test(file);
    const found = (pattern: string, directory: string) =>
      globSync(pattern, { cwd: directory }).filter((file) => !isOfPage(file) && !/^\w+\/(test|bench)\//.test(file));
    const sources = found('{src,ask,engine,explorer,files,simulator}/**/*.{ts,cjs}', PROJECT);
    const built = found('**/*.{js,cjs}', join(PROJECT, 'dist'));
    expect(built.toSorted()).toEqual(sources.map((file) => file.replace(/ts$/, 'js')).toSorted());
  });

  it('has the licences of what is in GraphiQL’s page', async () => {
    const licences = await readFile(join(PROJECT, 'dist/explorer/built-page/licenses.md'), 'utf8');
    for (const name of ['graphiql', 'monaco-editor', 'react', 'echarts']) expect(licences).toContain(`## ${name} - `);
  });

  it('packs what is built, what that needs, the documentation, and nothing else', () => {
    const under = (pattern: string, ...exclude: string[]) =>
      globSync(pattern, { cwd: PROJECT, exclude, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(PROJECT, join(parentPath, name)));
    const expected = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bench/RESULTS.md',
      'package.json',
      'schema.graphql',
      ...under('dist/**'),
      ...['ask', 'engine', 'explorer', 'simulator'].map((name) => `${name}/README.md`),
      ...under('simulator/demo-data/**'),
      ...under('operations/**'),
      ...under('docs/**'),
      ...under('deploy/**', 'deploy/*.ts', 'deploy/observability/*.ts', 'deploy/release.sh', 'deploy/test/**'),
      ...under('examples/**', 'examples/*/node_modules/**', 'examples/*/dist/**'),
    ];
    expect(files.toSorted()).toEqual(expected.map((path) => `package/${path}`).toSorted());
  });

  it('packs whatever its pages link to, except what only a checkout has', () => {
    const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('package/dist/'));
    const links = pages.flatMap((page) =>
      [...readFileSync(join(PROJECT, page.replace('package/', '')), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(
        ([, link = '']) => join(dirname(page), link).replace(/\/$/, ''),
      ),
    );
    const missing = links.filter((link) => !files.some((file) => file === link || file.startsWith(`${link}/`)));
    expect(links.length).toBeGreaterThan(100);
    expect(
      missing.filter(
        (link) =>
          !/^package\/(src|test|bench|engine|explorer\/server|files|deploy\/test|(ask|explorer|simulator)\/src)\//.test(
            link,
          ),
      ),
    ).toEqual([]);
  });
});

describe('1 The package, installed in an empty folder', () => {
  it('runs the demo by the command of the README, which answers a query and serves GraphiQL as it was packed', async () => {
    expect([INSTALL, DEMO]).toEqual(['npm install ./dataset-subgraph-*.tgz', 'npx dataset-subgraph demo']);
    expect(existsSync(join(folder, 'node_modules/vite'))).toBe(false);
    const demo = startThere(DEMO, { PORT: '0' });
    const endpoint = await endpointOf(demo);
    const { body } = await queryAt(endpoint, `{ dataset(id: "${demoDatasetIds.co2}") { name assetCount } }`, {
      token: 'demo-token',
    });
    expect(body).toEqual({ data: { dataset: { name: 'Mauna Loa CO2', assetCount: 1 } } });
    const args = `ask ${demoDatasetIds.co2} --url ${endpoint} --csv --metric co2`;
    const csv = await runThere(args, { DATASET_TOKEN: 'demo-token' });
    expect(csv).toMatchObject({ code: 0, stderr: '' });
    expect(csv.stdout).toMatch(/^asset_id,asset_name,asset_version,value_date_utc,co2\r\n/);
    const page = await send(new URL('/graphiql', endpoint));
    expect(page.status).toBe(200);
    const assets = [...page.text.matchAll(/(?:src|href)="(\/graphiql\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) {
      const packed = path.replace('/graphiql/', 'node_modules/dataset-subgraph/dist/explorer/built-page/');
      const { status, text } = await send(new URL(path, endpoint));
      expect([path, status, text === (await readFile(join(folder, packed), 'utf8'))]).toEqual([path, 200, true]);
    }
    demo.kill('SIGINT');
    // It would report there that it prepares the page.
    expect(await demo.ended).toMatchObject({ stderr: '' });
  });

  it('serves the REST service, and tools for language models', async () => {
    const simulator = await startService();
    const env = { DATASET_SERVICE_URL: simulator.url, PORT: '0' };
    const endpoint = await endpointOf(startThere('npx dataset-subgraph start', env));
    const { body } = await queryAt(endpoint, `{ dataset(id: "${DATASET_ID}") { name } }`);
    expect(body).toEqual({ data: { dataset: { name: dataset.metadata.name } } });
    const mcp = startThere('node_modules/.bin/dataset-subgraph mcp', {
      DATASET_SUBGRAPH_URL: endpoint.href,
      DATASET_TOKEN: TOKEN,
    });
    const params = { name: 'Metadata', arguments: { id: DATASET_ID } };
    mcp.type(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    const [line] = await mcp.printed(/^.*\n/m);
    expect(JSON.parse(line).result.structuredContent).toMatchObject(body.data);
  });

  it('has no traces, and says what they need', async () => {
    const env = { DATASET_SERVICE_URL: 'https://api.example.com', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect(await runThere('start', { ...env, PORT: '0' })).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr:
        'Traces need packages that are not installed: run npm install @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto, or unset OTEL_EXPORTER_OTLP_ENDPOINT.\n',
    });
  });

  it('says where its documentation is', async () => {
    const { code, stdout, stderr } = await runThere('help');
    const [, path = ''] = /^Documentation: (.*)$/m.exec(stdout) ?? [];
    expect([code, stderr, path]).toEqual([0, '', join(folder, 'node_modules/dataset-subgraph/README.md')]);
    expect(await readFile(path, 'utf8')).toMatch(/^# dataset-subgraph\n/);
  });

  it('prints the schema and the manifest as the scripts of a checkout do, and its version', async () => {
    const inCheckout = (script: string) => startProgram(process.execPath, [`src/${script}.ts`]).ended;
    expect(await runThere('schema')).toEqual(await inCheckout('schema'));
    expect(await runThere('manifest')).toEqual(await inCheckout('manifest'));
    expect((await runThere('--version')).stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`);
  });
});
