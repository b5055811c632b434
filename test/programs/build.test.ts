import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { demoDatasetIds } from '../../src/simulator/demo-data.ts';
import { DATASET_ID, dataset, queryAt, send, startService } from '../harness.ts';
import { endpointOf, PROJECT, startProgram } from '../process.ts';

const run = promisify(execFile);

beforeAll(async () => {
  await mkdir(join(PROJECT, 'dist'), { recursive: true });
  await writeFile(join(PROJECT, 'dist/stale.js'), '');
  await run('npm', ['run', '--silent', 'build'], { cwd: PROJECT });
});

/** A directory that lasts as long as the test. */
async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'build-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

describe('1 npm run build', () => {
  it('makes a program that serves', async () => {
    const simulator = await startService();
    const env = { DATASET_SERVICE_URL: simulator.url, PORT: '0' };
    const program = startProgram(process.execPath, ['dist/main.js'], { env });
    const endpoint = await endpointOf(program);
    const { body } = await queryAt(endpoint, `{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`);
    expect(body).toEqual({ data: { dataset: { name: dataset.metadata.name, results: { sourceId: 's-1' } } } });
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('leaves nothing of an earlier build', () => {
    const isOfPage = (file: string) => /^explorer\/(page|built-page|build\.)/.test(file);
    const found = (pattern: string, directory: string) =>
      globSync(pattern, { cwd: join(PROJECT, directory) }).filter((file) => !isOfPage(file));
    const sources = found('**/*.{ts,cjs}', 'src').map((file) => file.replace(/ts$/, 'js'));
    expect(found('**/*.{js,cjs}', 'dist').toSorted()).toEqual(sources.toSorted());
  });

  it('bundles GraphiQL’s page, with the licences of what is in it', async () => {
    const files = globSync('**/*.*', { cwd: join(PROJECT, 'dist/explorer') });
    expect(files.filter((file) => !file.startsWith('built-page/assets/')).toSorted()).toEqual([
      'built-page/index.html',
      'built-page/licenses.md',
      'bundle.js',
      'bundle.js.map',
      'examples.js',
      'examples.js.map',
    ]);
    const licences = await readFile(join(PROJECT, 'dist/explorer/built-page/licenses.md'), 'utf8');
    for (const name of ['graphiql', 'monaco-editor', 'react', 'echarts']) expect(licences).toContain(`## ${name} - `);
  });

  it('makes the program that package.json names, runnable by itself', async () => {
    const { bin } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
    expect(bin).toEqual({ 'dataset-subgraph': 'dist/cli.js' });
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
    expect(await startProgram(join(PROJECT, 'dist/cli.js'), ['--version']).ended).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
  });
});

describe('1 The package', () => {
  it('holds what is built, what that needs, and nothing else', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: PROJECT });
    const [{ files }] = JSON.parse(stdout);
    const under = (directory: string) => globSync(`${directory}/**/*.*`, { cwd: PROJECT });
    const expected = [
      'LICENSE',
      'README.md',
      'package.json',
      'schema.graphql',
      ...under('dist'),
      ...under('demo-data'),
    ];
    expect(files.map(({ path }: { path: string }) => path).toSorted()).toEqual(expected.toSorted());
    expect(expected).toContain('dist/demo.js');
    expect(expected).toContain('demo-data/earthquakes.json');
  });

  it('runs the demo wherever it is unpacked and started', async () => {
    const directory = await temporaryDirectory();
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: PROJECT });
    const [{ filename }] = JSON.parse(stdout);
    await run('tar', ['-xzf', filename], { cwd: directory });
    await symlink(join(PROJECT, 'node_modules'), join(directory, 'package/node_modules'));
    // As npm links it.
    const command = join(directory, 'dataset-subgraph');
    await symlink(join(directory, 'package/dist/cli.js'), command);
    const program = startProgram(command, ['demo'], { env: { PORT: '0' }, cwd: directory });
    const endpoint = await endpointOf(program);
    // At once, and not after it has been prepared.
    const page = await send(new URL('/graphiql', endpoint));
    expect(page).toMatchObject({ status: 200, text: expect.stringMatching(/src="\/graphiql\/assets\/[^"]+\.js"/) });
    const args = ['ask', demoDatasetIds.co2, '--url', endpoint.href, '--csv', '--metric', 'co2'];
    const answer = await startProgram(command, args, { env: { DATASET_TOKEN: 'demo-token' }, cwd: directory }).ended;
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toMatch(/^asset_id,asset_name,asset_version,value_date,co2\r\n/);
  });
});
