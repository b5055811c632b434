import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linuxOnX64 } from '../../test/support/left-out.ts';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { readAllYaml, readYaml } from './files.ts';
import { template, url } from './helm.ts';
import { kustomize, kustomizeNeeds } from './kustomize.ts';
import { type Manifest, manifests, only } from './manifests.ts';

const optional = 'deploy/kubernetes-optional';

/** All objects that the chart can make. The tests of the chart say where they are left out. */
async function chartObjects(): Promise<Manifest[]> {
  if (linuxOnX64 !== undefined) return [];
  const monitoring = ['--set', 'autoscaling.keda.enabled=true,metrics.podMonitor.enabled=true'];
  return [
    ...(await template(...url, '-f', 'deploy/chart/values-production.yaml')),
    ...(await template('-f', 'deploy/chart/ci/everything-values.yaml', ...monitoring)),
  ];
}

describe('The manifests, the optional ones, those for production and those of the Helm chart', () => {
  it('match the schemas of Kubernetes, the Prometheus Operator, KEDA and the Gateway API, without unknown fields', async () => {
    const [podMonitor, scaledObject, links] = ['pod-monitor', 'scaled-object', 'download-links'].map(
      (name): Manifest => readYaml(`${optional}/${name}.yaml`),
    ) as [Manifest, Manifest, Manifest];
    const [ingress, policy] = readAllYaml(`${optional}/ingress.yaml`) as [Manifest, Manifest];
    const deployment = only('Deployment');
    const env = [deployment, links].flatMap(({ spec }) => spec.template.spec.containers[0].env);
    const linking = changed(deployment, 'spec.template.spec.containers.0.env', env);
    const overlaid = kustomizeNeeds === undefined ? await kustomize('deploy/kubernetes-production') : [];
    const good = [
      ...manifests,
      podMonitor,
      scaledObject,
      ingress,
      policy,
      linking,
      ...(await chartObjects()),
      ...overlaid,
    ];
    const bad = [
      changed(deployment, 'spec.template.spec.containers.0.readinesProbe', {}),
      changed(deployment, 'spec.selector', undefined),
      changed(only('Service'), 'spec.ports.0.port', '4000'),
      changed(podMonitor, 'spec.podMetricsEndpoint', []),
      changed(scaledObject, 'spec.maxReplicas', 20),
      changed(ingress, 'spec.tls.0.secret', 'downloads-tls'),
    ];
    const errors = await invalidFields([...good, ...bad]);
    const numbers = bad.map((_, index) => good.length + index);
    expect(
      [...errors.keys()].toSorted((a, b) => a - b),
      [...errors.values()].join('\n'),
    ).toEqual(numbers);
  });
});

/** The packages with the schemas of custom resources, by their group. */
const packages: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

function modelsOf(apiVersion: string): string {
  return `${packages[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;
}

/** The type errors of manifests by their index. The types of the schemas also reject unknown fields. */
async function invalidFields(all: readonly Manifest[]): Promise<Map<number, string>> {
  const directory = `${PROJECT}deploy/test/node_modules/.manifests-${process.pid}`;
  await mkdir(directory);
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [index, manifest] of all.entries()) {
    const type = `import('${modelsOf(manifest.apiVersion)}').I${manifest.kind}`;
    await writeFile(`${directory}/${index}.ts`, `export const it: ${type} = ${JSON.stringify(manifest)};\n`);
  }
  await writeFile(`${directory}/package.json`, '{"type":"module"}');
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: true };
  await writeFile(
    `${directory}/tsconfig.json`,
    JSON.stringify({ compilerOptions, files: all.map((_, index) => `${index}.ts`) }),
  );
  const tsc = `${createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')}`;
  const { stdout, stderr } = await startProgram(process.execPath, [tsc, '--pretty', 'false'], { cwd: directory }).ended;
  const found = [...`${stdout}${stderr}`.matchAll(/^(\d+)\.ts\(.*?\): error (.*)$/gm)];
  if (found.length === 0 && /error/.test(`${stdout}${stderr}`)) throw new Error(`${stdout}${stderr}`);
  return new Map(found.map(([, index, message = '']) => [Number(index), message]));
}

/** A copy of a manifest with a value set at a path; undefined removes the member. */
function changed(manifest: Manifest, path: string, value: unknown): Manifest {
  const copy = structuredClone(manifest);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: any member of it
  let parent: any = copy;
  for (const key of keys) parent = parent[key];
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
