import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { isTested } from '../../test/support/left-out.ts';
import { containerEnv } from './containerfile.ts';
import { kustomize, kustomizeNeeds } from './kustomize.ts';
import { type Manifest, manifests, only } from './manifests.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
}

const byKind = (all: readonly Manifest[]) => all.toSorted((a, b) => a.kind.localeCompare(b.kind));

describe.runIf(isTested('the overlay for production, deploy/kubernetes-production', kustomizeNeeds))(
  'kubectl kustomize',
  () => {
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
  },
);
