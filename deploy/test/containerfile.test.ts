import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCollector } from '../../test/collector.ts';
import { DATASET_ID, dataset, queryAt, startService } from '../../test/harness.ts';
import { endpointOf, PROJECT, startProgram } from '../../test/process.ts';
import { containerEnv, containerStages, type Instruction, inStage } from './containerfile.ts';
import { read } from './files.ts';
import { freePort } from './free-port.ts';

/*
 * The tests run without a container engine. They execute the instructions of the Containerfile with this machine's Node.js,
 * each stage in a directory instead of its root.
 */

const BUILD_MS = 300_000;
const UNPRIVILEGED = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups'];

const stages = containerStages();
const image = stages.at(-1) ?? [];
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

/** The JSON array at the end of an instruction: a command without a shell. */
const command = (name: string): string[] => JSON.parse(/\[.*\]$/.exec(inStage(image, name)[0] ?? '')?.[0] ?? '');

/** Executes a stage's instructions. Returns its last working directory. */
async function build(stage: readonly Instruction[], roots: Map<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'stage-'));
  onTestFinished(() => rm(root, { recursive: true }));
  // Readable for the image's user.
  await chmod(root, 0o755);
  let directory = root;
  for (const { name, rest } of stage) {
    if (name === 'FROM') roots.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', root);
    else if (name === 'WORKDIR') directory = join(root, rest);
    else if (name === 'COPY') await copy(rest, directory, roots);
    else if (name === 'RUN') await runIn(directory, rest);
    await mkdir(directory, { recursive: true });
  }
  return directory;
}

async function copy(rest: string, directory: string, roots: Map<string, string>): Promise<void> {
  const [, stage, words = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
  const from = stage === undefined ? PROJECT : (roots.get(stage) ?? `no stage ${stage}`);
  const paths = words.split(' ');
  const to = paths.pop() ?? '';
  for (const path of paths) {
    const target = to.endsWith('/') ? join(directory, to, basename(path)) : join(directory, to);
    await cp(join(from, path), target, { recursive: true, verbatimSymlinks: true });
  }
}

async function runIn(cwd: string, script: string): Promise<void> {
  const env = { PATH, npm_config_prefer_offline: 'true', npm_config_fetch_timeout: '30000' };
  const { code, stdout, stderr } = await startProgram('sh', ['-c', script], { cwd, env }).ended;
  if (code !== 0) throw new Error(`RUN ${script} failed:\n${stdout}${stderr}`);
}

describe('Containerfile', () => {
  it('does not run as root, and listens on the port that it exposes', () => {
    expect(stages.map(([from]) => from?.rest.split(' ')[0])).toEqual(stages.map(() => 'node:24-slim'));
    expect(inStage(image, 'USER')).toEqual(['node']);
    expect(inStage(image, 'EXPOSE')).toEqual([containerEnv().PORT]);
    expect(containerEnv()).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '4000',
      MALLOC_ARENA_MAX: '2',
      MALLOC_TRIM_THRESHOLD_: '131072',
      MALLOC_MMAP_THRESHOLD_: '131072',
    });
    expect(inStage(image, 'RUN')).toEqual([]);
  });

  it('installs the packages for traces in the versions that are tested', () => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(read('package.json'));
    const names = ['@opentelemetry/api', ...Object.keys(peerDependencies)];
    const tested: Record<string, string> = { ...dependencies, ...devDependencies };
    const installed = /npm install (.*)/.exec(inStage(stages[1] ?? [], 'RUN')[0] ?? '')?.[1]?.split(/ +/) ?? [];
    expect(installed.filter((word) => word.startsWith('@')).toSorted()).toEqual(
      names.map((name) => `${name}@${tested[name]}`).toSorted(),
    );
  });

  it('makes an image that serves, sends traces, is healthy, stops on SIGTERM, and contains nothing else', {
    timeout: BUILD_MS,
  }, async () => {
    const roots = new Map<string, string>();
    let cwd = '';
    for (const stage of stages) cwd = await build(stage, roots);
    expect((await readdir(cwd)).toSorted()).toEqual(
      ['LICENSE', 'dist', 'node_modules', 'package.json', 'schema.graphql'].toSorted(),
    );
    for (const name of ['typescript', 'vitest', 'node'])
      expect(existsSync(join(cwd, 'node_modules', name))).toBe(false);

    const { url } = await startService();
    const port = await freePort();
    const collector = await startCollector();
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const env = { ...containerEnv(), PATH, HOST: '127.0.0.1', PORT: port, DATASET_SERVICE_URL: url, ...traces };
    const start = (words: string[]) => {
      const [program = '', ...args] = process.getuid?.() === 0 ? [...UNPRIVILEGED, ...words] : words;
      return startProgram(program, args, { cwd, env });
    };
    const program = start(command('CMD'));
    const endpoint = await endpointOf(program);
    expect(endpoint.port).toBe(port);
    expect(await start(command('HEALTHCHECK')).ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    const { body } = await queryAt(endpoint, `{ dataset(id: "${DATASET_ID}") { name } }`);
    expect(body).toEqual({ data: { dataset: { name: dataset.metadata.name } } });
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect((await collector.receive(3)).map(({ kind }) => kind).toSorted()).toEqual(['CLIENT', 'INTERNAL', 'SERVER']);
    expect(await start(command('HEALTHCHECK')).ended).toEqual({ code: 1, signal: null, stdout: '', stderr: '' });
  });
});
