import { globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { readAllYaml } from './files.ts';

/** The members that every Kubernetes object has. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas define its shape
  spec: any;
}

/** The files that `kubectl apply -k deploy/kubernetes` applies. */
export const manifestFiles = globSync('deploy/kubernetes/*.yaml', {
  cwd: PROJECT,
  exclude: ['deploy/kubernetes/kustomization.yaml'],
});

/** Their objects. */
export const manifests = manifestFiles.flatMap((file) => readAllYaml(file) as Manifest[]);

/** The only object of a kind. */
export function only(kind: string, among: readonly Manifest[] = manifests): Manifest {
  const found = among.filter((manifest) => manifest.kind === kind);
  const [manifest] = found;
  if (manifest === undefined || found.length > 1) throw new Error(`There are ${found.length} objects of ${kind}.`);
  return manifest;
}

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
export async function invalidFields(all: readonly Manifest[]): Promise<Map<number, string>> {
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
export function changed(manifest: Manifest, path: string, value: unknown): Manifest {
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
