import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startCollector } from '../../test/support/collector.ts';
import { freePort } from '../../test/support/free-port.ts';
import { DATASET_ID, dataset, queryAt, startService } from '../../test/support/harness.ts';
import { isTested, rootOnLinux } from '../../test/support/left-out.ts';
import { endpointOf, startProgram } from '../../test/support/process.ts';
import { makeBaseImage, maxOpenFiles, npmVolumes } from './base-image.ts';
import { type Buildah, startBuildah } from './buildah.ts';
import { containerEnv, containerStages, inStage } from './containerfile.ts';
import { read } from './files.ts';
import { namesIn, RELEASE_ENV } from './release.ts';

const BUILD_MS = 600_000;
/** What a release names the image before it pushes it. */
const RELEASED = `localhost/dataset-subgraph:${JSON.parse(read('package.json')).version}`;

describe('Containerfile', () => {
  it('is built on an image that Renovate pins by its digest', () => {
    expect(read('deploy/Containerfile')).toMatch(
      /^ARG BASE_IMAGE=docker\.io\/library\/node:24-slim(@sha256:[0-9a-f]{64})?$/m,
    );
    expect(JSON.parse(read('renovate.json')).extends).toContain('docker:pinDigests');
  });

  it('installs packages that are the same on each platform', () => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const production = Object.entries<Record<string, unknown>>(packages).filter(([path, { dev }]) => path && !dev);
    expect(production.length).toBeGreaterThan(200);
    expect(production.filter(([, { os, cpu, libc }]) => os ?? cpu ?? libc)).toEqual([]);
    // A script could build something. The image runs none: npm ci --ignore-scripts.
    const scripts = production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripts).toEqual(['node_modules/@apollo/protobufjs']);
  });

  it('installs the packages for traces in the versions that are tested', () => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(read('package.json'));
    const names = ['@opentelemetry/api', ...Object.keys(peerDependencies)];
    const tested: Record<string, string> = { ...dependencies, ...devDependencies };
    const installed =
      /npm install (.*)/.exec(inStage(containerStages()[1] ?? [], 'RUN')[0] ?? '')?.[1]?.split(/ +/) ?? [];
    expect(installed.filter((word) => word.startsWith('@')).toSorted()).toEqual(
      names.map((name) => `${name}@${tested[name]}`).toSorted(),
    );
  });
});

describe.runIf(isTested('the image of deploy/Containerfile', rootOnLinux))(
  'The image, built and run by buildah',
  () => {
    it('serves as another user, sends traces, is healthy, stops on SIGTERM, and contains nothing else', {
      timeout: BUILD_MS,
    }, async () => {
      const buildah = await startBuildah();
      await expectContext(buildah);
      const { BASE_IMAGE } = process.env;
      const base = BASE_IMAGE ?? (await makeBaseImage(buildah));
      const volumes = await npmVolumes(buildah);
      const options = [`--pull=${BASE_IMAGE === undefined ? 'never' : 'missing'}`];
      // Without layers: no build could use them, not even that of the other platform.
      options.push('--layers=false', '--ulimit', `nofile=${await maxOpenFiles()}`, '--build-arg', `BASE_IMAGE=${base}`);
      const released = join(buildah.folder, 'released');
      const release = await startProgram('deploy/release.sh', ['image', released, `dir:${released}/pushed`], {
        env: {
          ...RELEASE_ENV,
          GITHUB_SHA: 'a-commit',
          BUILDAH: buildah.commandLine,
          BUILD_OPTIONS: [...options, ...volumes].join(' '),
        },
      }).ended;
      expect(release, release.stderr).toMatchObject({ code: 0, stdout: '' });
      const pushed = readFileSync(join(released, 'pushed/manifest.json'));
      const platforms: { os: string; architecture: string }[] = JSON.parse(`${pushed}`).manifests.map(
        ({ platform }: { platform: object }) => platform,
      );
      expect(platforms.map(({ os, architecture }) => `${os}/${architecture}`).toSorted()).toEqual([
        'linux/amd64',
        'linux/arm64',
      ]);
      expect(readFileSync(join(released, 'image-digest'), 'utf8')).toBe(
        `sha256:${createHash('sha256').update(pushed).digest('hex')}`,
      );
      const { config } = JSON.parse(await buildah.run('inspect', '--type', 'image', RELEASED)).Docker;
      const { version, description, license } = JSON.parse(read('package.json'));
      expect(config).toMatchObject({
        User: 'node',
        WorkingDir: '/app',
        ExposedPorts: { '4000/tcp': {} },
        Cmd: ['node', 'dist/src/main.js'],
        Healthcheck: { Interval: 10e9, Timeout: 5e9, StartPeriod: 10e9, Retries: 3 },
        Env: expect.arrayContaining(Object.entries(containerEnv()).map((pair) => pair.join('='))),
      });
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.title': 'dataset-subgraph',
        'org.opencontainers.image.description': description,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
        'org.opencontainers.image.source': 'https://github.com/Example/dataset-subgraph',
        'org.opencontainers.image.revision': 'a-commit',
        'org.opencontainers.image.created': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        'org.opencontainers.image.base.name': base,
      });

      const container = await buildah.run('from', '--pull=never', RELEASED);
      const root = await buildah.run('mount', container);
      expect(readdirSync(join(root, 'app')).toSorted()).toEqual(
        ['LICENSE', 'dist', 'node_modules', 'operations', 'package.json', 'schema.graphql'].toSorted(),
      );
      const packages = readdirSync(join(root, 'app/node_modules'));
      for (const name of ['typescript', 'vitest', 'node']) expect(packages).not.toContain(name);
      expect(readdirSync(join(root, 'root'))).not.toContain('.npmrc');
      const sbom = JSON.parse(readFileSync(join(released, `dataset-subgraph-image-${version}.cdx.json`), 'utf8'));
      expect(namesIn(sbom)).toEqual(installedIn(join(root, 'app/node_modules')));

      const { url } = await startService();
      const port = await freePort();
      const collector = await startCollector();
      const env = {
        HOST: '127.0.0.1',
        PORT: port,
        DATASET_SERVICE_URL: url,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      };
      const health = () => buildah.start(container, env, config.Healthcheck.Test.slice(1)).ended;
      const program = buildah.start(container, env, config.Cmd);
      const endpoint = await endpointOf(program);
      expect(endpoint.port).toBe(port);
      const [main, ...others] = processesWith(`PORT=${port}`);
      expect({ user: main?.user, others }).toEqual({ user: '1000', others: [] });
      expect(await health()).toMatchObject({ code: 0 });
      const { body } = await queryAt(endpoint, `{ dataset(id: "${DATASET_ID}") { name } }`);
      expect(body).toEqual({ data: { dataset: { name: dataset.metadata.name } } });
      // As an engine does; buildah itself would end with a code of its own.
      process.kill(main?.pid ?? Number.NaN, 'SIGTERM');
      expect(await program.ended).toMatchObject({ code: 0, signal: null });
      expect((await collector.receive(3)).map(({ kind }) => kind).toSorted()).toEqual(['CLIENT', 'INTERNAL', 'SERVER']);
      expect(await health()).toMatchObject({ code: 1 });
    });
  },
);

/** Expects that .containerignore lets these files through. */
async function expectContext(buildah: Buildah): Promise<void> {
  const file = join(buildah.folder, 'Containerfile');
  await writeFile(file, 'FROM scratch\nCOPY . /context/\n');
  await buildah.run('build', '--isolation', 'chroot', '-f', file, '-t', 'localhost/context', '.');
  const root = await buildah.run('mount', await buildah.run('from', '--pull=never', 'localhost/context'));
  expect(readdirSync(join(root, 'context')).toSorted()).toEqual([
    ...['LICENSE', 'ask', 'engine', 'explorer', 'files', 'operations', 'package-lock.json', 'package.json'],
    ...['schema.graphql', 'simulator', 'src', 'tsconfig.build.json', 'tsconfig.json'],
  ]);
}

/** The processes with a variable in their environment, and the id of their user. */
function processesWith(variable: string): { pid: number; user: string | undefined }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable)) return [];
      const [, user] = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return [{ pid: Number(pid), user }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

/** The packages in a folder, with their versions, each once. */
function installedIn(folder: string): string[] {
  const manifests = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: join(folder, '..') });
  const packages = manifests.map((file) => JSON.parse(readFileSync(join(folder, '..', file), 'utf8')));
  return [...new Set(packages.map(({ name, version }) => `${name}@${version}`))].toSorted();
}
