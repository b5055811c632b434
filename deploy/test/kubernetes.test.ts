import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { start } from '../../test/support/harness.ts';
import { containerEnv } from './containerfile.ts';
import { read, readYaml } from './files.ts';
import { manifestFiles, manifests, only } from './manifests.ts';

/** Pods with a name in the namespace of the monitoring: both selectors must match. */
const monitoring = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
  podSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
});

describe('Kubernetes manifests', () => {
  it('are one of each kind with one name, and all listed for kustomize', () => {
    const { resources } = readYaml('deploy/kubernetes/kustomization.yaml');
    expect(resources.toSorted()).toEqual(manifestFiles.map((file) => basename(file)).toSorted());
    expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(new Set(['dataset-subgraph']));
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(
      ['Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'].toSorted(),
    );
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
    expect(container.ports).toEqual([
      { name: 'graphql', containerPort: Number(containerEnv().PORT) },
      { name: 'metrics', containerPort: 9464 },
    ]);
    expect(only('Service').spec.ports).toMatchObject([{ port: 4000, targetPort: 'graphql' }]);
  });

  it('allow only the router to query, only Prometheus to read metrics, and connections to three ports', () => {
    const { policyTypes, ingress, egress } = only('NetworkPolicy').spec;
    expect(policyTypes.toSorted()).toEqual(['Egress', 'Ingress']);
    expect(ingress).toEqual([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'router' } } }],
        ports: [{ protocol: 'TCP', port: 'graphql' }],
      },
      { from: [monitoring('prometheus')], ports: [{ protocol: 'TCP', port: 'metrics' }] },
    ]);
    // DNS, https, and an OpenTelemetry collector.
    const ports = egress.map(({ ports }: { ports: { port: number }[] }) => ports.map(({ port }) => port));
    expect(ports).toEqual([[53, 53], [443], [4318]]);
    expect(egress.at(-1).to).toEqual([monitoring('opentelemetry-collector')]);
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
    expect(config).toMatchObject({
      HOST: '0.0.0.0',
      PORT: 4000,
      ROUTER_SECRET: ['secret-of-the-router'],
      METRICS_HOST: '0.0.0.0',
      METRICS_PORT: container.ports.find(({ name }: { name: string }) => name === 'metrics').containerPort,
    });
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
