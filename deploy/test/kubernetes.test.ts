import { globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { start } from '../../test/harness.ts';
import { PROJECT, startProgram } from '../../test/process.ts';
import { containerEnv } from './containerfile.ts';
import { read, readAllYaml } from './files.ts';

/** The members that every Kubernetes object has. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas define its shape
  spec: any;
}

const files = globSync('deploy/kubernetes/*.yaml', { cwd: PROJECT });
const manifests = files.flatMap((file) => readAllYaml(file) as Manifest[]);

function only(kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found.map(({ metadata }) => metadata.name)).toEqual(['dataset-subgraph']);
  return found[0] as Manifest;
}

/** The schema's error for a manifest's values. The schemas allow unknown fields. */
async function invalidValues({ apiVersion, kind, ...fields }: Manifest): Promise<string | undefined> {
  const model = (await import(/* @vite-ignore */ import.meta.resolve(`kubernetes-models/${apiVersion}`)))[kind];
  try {
    new model(fields).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The type errors of manifests by their index. The types also reject unknown fields. */
async function invalidFields(all: readonly Manifest[]): Promise<Map<number, string>> {
  const directory = `${PROJECT}deploy/test/node_modules/.manifests-${process.pid}`;
  await mkdir(directory);
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [index, manifest] of all.entries()) {
    const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`;
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

describe('Kubernetes manifests', () => {
  it('are one of each kind, each in the file of its name', () => {
    const kebab = (kind: string) => kind.replaceAll(/(?<=.)[A-Z]/g, '-$&').toLowerCase();
    expect(files.map((file) => basename(file, '.yaml')).toSorted()).toEqual(
      manifests.map(({ kind }) => kebab(kind)).toSorted(),
    );
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(
      ['Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'].toSorted(),
    );
  });

  it('match the schemas of Kubernetes, without unknown fields', async () => {
    for (const manifest of manifests) expect(await invalidValues(manifest), manifest.kind).toBeUndefined();
    const deployment = only('Deployment');
    const container = 'spec.template.spec.containers.0';
    const bad = [
      changed(deployment, `${container}.readinesProbe`, {}),
      changed(deployment, `${container}.lifecycle.preStop.sleep.second`, 5),
      changed(deployment, `${container}.ports.0.containerPort`, '4000'),
      changed(deployment, 'spec.selector', undefined),
      changed(only('Service'), 'spec.ports.0.port', '4000'),
      changed(only('HorizontalPodAutoscaler'), 'spec.maxReplicas', undefined),
      changed(only('NetworkPolicy'), 'spec.ingress.0.form', []),
      changed(only('PodDisruptionBudget'), 'spec.maxUnvailable', 1),
    ];
    const errors = await invalidFields([...manifests, ...bad]);
    const numbers = bad.map((_, index) => manifests.length + index);
    expect([...errors.keys()].toSorted(), [...errors.values()].join('\n')).toEqual(numbers.toSorted());
    for (const index of [2, 3, 4, 5]) expect(await invalidValues(bad[index] as Manifest), `${index}`).toBeDefined();
  });

  it('refer to the same pods, ports and deployment', () => {
    const { metadata, spec } = only('Deployment');
    const pods = { 'app.kubernetes.io/name': 'dataset-subgraph' };
    expect(spec.selector.matchLabels).toEqual(pods);
    expect(spec.template.metadata.labels).toMatchObject(pods);
    for (const { labelSelector } of spec.template.spec.topologySpreadConstraints) {
      expect(labelSelector.matchLabels).toEqual(pods);
    }
    expect(only('Service').spec.selector).toEqual(pods);
    expect(only('PodDisruptionBudget').spec.selector.matchLabels).toEqual(pods);
    expect(only('NetworkPolicy').spec.podSelector.matchLabels).toEqual(pods);
    expect(only('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: metadata.name,
    });
    const [container] = spec.template.spec.containers;
    expect(container.ports).toEqual([{ name: 'graphql', containerPort: Number(containerEnv().PORT) }]);
    expect(only('Service').spec.ports).toMatchObject([{ port: 4000, targetPort: 'graphql' }]);
  });

  it('allow only the router', () => {
    const { policyTypes, ingress } = only('NetworkPolicy').spec;
    expect(policyTypes).toContain('Ingress');
    expect(ingress).toEqual([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'router' } } }],
        ports: [{ protocol: 'TCP', port: 'graphql' }],
      },
    ]);
  });

  it('probe the health of a subgraph with a secret at existing paths', async () => {
    const [container] = only('Deployment').spec.template.spec.containers;
    const { http } = await start({ env: { ROUTER_SECRET: 'secret-of-the-router' } });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port } = container[probe].httpGet;
      expect({ probe, port, status: (await http(path)).status }).toEqual({ probe, port: 'graphql', status: 200 });
    }
  });

  it('use valid settings', () => {
    const [container] = only('Deployment').spec.template.spec.containers;
    const given: { name: string; value?: string; valueFrom?: object }[] = container.env;
    const known = new Set([...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name));
    for (const { name } of given) expect(known).toContain(name);
    const env = Object.fromEntries(given.map(({ name, value = 'secret-of-the-router' }) => [name, value]));
    const config = readConfig({ ...containerEnv(), ...env });
    expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 4000, ROUTER_SECRET: 'secret-of-the-router' });
    expect(given.find(({ name }) => name === 'ROUTER_SECRET')?.valueFrom).toEqual({
      secretKeyRef: { name: 'dataset-subgraph', key: 'router-secret' },
    });
  });

  it('give a replica time to finish its operations', () => {
    const { terminationGracePeriodSeconds, containers } = only('Deployment').spec.template.spec;
    const pause = containers[0].lifecycle.preStop.sleep.seconds;
    const { OPERATION_TIMEOUT_MS } = readConfig({});
    expect(pause).toBeGreaterThanOrEqual(5);
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + OPERATION_TIMEOUT_MS / 1000 + 10);
  });

  it('grant only the privileges that the program needs', () => {
    const { securityContext, automountServiceAccountToken, containers } = only('Deployment').spec.template.spec;
    expect(automountServiceAccountToken).toBe(false);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});
