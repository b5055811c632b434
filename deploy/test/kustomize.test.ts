import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { isTested } from '../../test/support/left-out.ts';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { containerEnv } from './containerfile.ts';
import { type Manifest, manifests, only } from './manifests.ts';

/** The first major version with the field `patches` of today, that of kubectl 1.27. Debian's kubectl has an older one. */
const LEAST_KUSTOMIZE = 5;

/** The major version of kubectl's kustomize; 0 without kubectl. */
function kustomizeVersion(): number {
  const { stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return Number(/Kustomize Version: v(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

/** The objects that `kubectl apply -k` applies for a folder. */
async function kustomize(folder: string): Promise<Manifest[]> {
  const { code, stdout, stderr } = await startProgram('kubectl', ['kustomize', folder], { cwd: PROJECT }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

const byKind = (all: readonly Manifest[]) => all.toSorted((a, b) => a.kind.localeCompare(b.kind));

const needs =
  kustomizeVersion() >= LEAST_KUSTOMIZE
    ? undefined
    : 'kubectl 1.27 or newer on the PATH: https://kubernetes.io/docs/tasks/tools/';

describe.runIf(isTested('the overlay for production, deploy/kubernetes-production', needs))('kubectl kustomize', () => {
  it('applies the manifests as they are', async () => {
    expect(byKind(await kustomize('deploy/kubernetes'))).toEqual(byKind(manifests));
  });

  it('changes for production what the overlay says', async () => {
    const overlaid = await kustomize('deploy/kubernetes-production');
    const deployment = only('Deployment', overlaid);
    const { containers, topologySpreadConstraints } = deployment.spec.template.spec;
    const base = only('Deployment').spec.template.spec;
    expect(topologySpreadConstraints).toEqual([
      {
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        maxSkew: 1,
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'dataset-subgraph' } },
        matchLabelKeys: ['pod-template-hash'],
      },
      ...base.topologySpreadConstraints,
    ]);
    const [container] = containers;
    expect(container.image).toBe('registry.example.com/dataset-subgraph:0.1.0');
    const names = new Set(base.containers[0].env.map(({ name }: { name: string }) => name));
    const added = container.env.filter(({ name }: { name: string }) => !names.has(name));
    expect(added).toEqual([{ name: 'INTROSPECTION', value: 'off' }]);
    expect(only('HorizontalPodAutoscaler', overlaid).spec.minReplicas).toBe(3);
    const env = container.env.map(({ name, value = 'secret-of-the-router' }: Variable) => [name, value]);
    expect(readConfig({ ...containerEnv(), ...Object.fromEntries(env) })).toMatchObject({ INTROSPECTION: 'off' });
    expect(new Set(overlaid.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['datasets']));
  });
});
