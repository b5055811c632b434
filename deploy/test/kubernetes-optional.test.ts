import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, TOKEN } from '../../test/support/harness.ts';
import { containerEnv } from './containerfile.ts';
import { readAllYaml, readYaml } from './files.ts';
import { type Manifest, only } from './manifests.ts';
import { problemsOf, scrape } from './metrics.ts';
import { expectValue, parseQuery, type Series } from './promql.ts';

const folder = 'deploy/kubernetes-optional';
const podMonitor: Manifest = readYaml(`${folder}/pod-monitor.yaml`);
const scaledObject: Manifest = readYaml(`${folder}/scaled-object.yaml`);
const annotations = readYaml(`${folder}/scrape-annotations.yaml`);
const [ingress, policy] = readAllYaml(`${folder}/ingress.yaml`) as [Manifest, Manifest];
const links: Manifest = readYaml(`${folder}/download-links.yaml`);

const [trigger] = scaledObject.spec.triggers;
const { query } = trigger.metadata;
const [endpoint] = podMonitor.spec.podMetricsEndpoints;

/** The event loop of a replica: active for some seconds of every 15. */
function replica(pod: string, active: number, { job = 'dataset-subgraph', namespace = 'default' } = {}): Series {
  const series = (state: string) =>
    `nodejs_eventloop_time_seconds_total{state="${state}", job="${job}", namespace="${namespace}", pod="${pod}"}`;
  return { [series('active')]: `0+${active}x20`, [series('idle')]: `0+${15 - active}x20` };
}

describe('deploy/kubernetes-optional', () => {
  const { metadata, spec } = only('Deployment').spec.template;

  it('has Prometheus scrape the metrics port of the pods, by the PodMonitor or by annotations', () => {
    const port = spec.containers[0].ports.find(({ name }: { name: string }) => name === 'metrics');
    expect(metadata.labels).toMatchObject(podMonitor.spec.selector.matchLabels);
    expect(podMonitor.spec.podMetricsEndpoints).toHaveLength(1);
    expect(endpoint).toMatchObject({ port: port.name, path: '/metrics' });
    expect(metadata.labels[podMonitor.spec.jobLabel]).toBe('dataset-subgraph');
    expect(metadata).not.toHaveProperty('annotations');
    expect(annotations.spec.template.metadata.annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': `${port.containerPort}`,
      'prometheus.io/path': endpoint.path,
    });
  });
});

describe('Download links', () => {
  const [rule] = ingress.spec.rules;
  const [container] = links.spec.template.spec.containers;
  const variables: { name: string; value?: string; valueFrom?: object }[] = container.env;
  const given = Object.fromEntries(variables.map(({ name, value = 'x'.repeat(32) }) => [name, value]));

  it('come from the Ingress, over TLS, to the port of the Service, with a secret of the Secret', () => {
    const { metadata, spec } = only('Service');
    expect(variables).toEqual([
      { name: 'PUBLIC_URL', value: `https://${rule.host}` },
      {
        name: 'DOWNLOAD_TICKET_SECRET',
        valueFrom: { secretKeyRef: { name: 'dataset-subgraph', key: 'download-ticket-secret' } },
      },
    ]);
    expect(ingress.spec.tls).toEqual([{ hosts: [rule.host], secretName: 'downloads-tls' }]);
    expect(ingress.spec.rules).toHaveLength(1);
    const service = { name: metadata.name, port: { name: spec.ports[0].name } };
    expect(rule.http.paths).toEqual([{ path: '/download/', pathType: 'Prefix', backend: { service } }]);
    const controller = ingress.spec.ingressClassName;
    expect(policy.spec).toEqual({
      podSelector: only('NetworkPolicy').spec.podSelector,
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': controller } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': controller } },
            },
          ],
          ports: [{ protocol: 'TCP', port: spec.ports[0].targetPort }],
        },
      ],
    });
  });

  it('open files without the secret of the router, and nothing else is open', async () => {
    const secret = { 'router-authorization': 'secret-of-the-router' };
    const env = { ...containerEnv(), ...given, PORT: '0', ROUTER_SECRET: secret['router-authorization'] };
    const { query, http } = await start({ env });
    const selection = 'download { ticketUrl } results { rowsFile(format: CSV) { ticketUrl } }';
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { ${selection} } }`, { headers: secret });
    const { download, results } = body.data.dataset;
    for (const link of [download.ticketUrl, results.rowsFile.ticketUrl]) {
      const { origin, pathname } = new URL(link);
      expect(origin).toBe(given.PUBLIC_URL);
      expect(pathname.startsWith(rule.http.paths[0].path)).toBe(true);
      expect(await http(pathname)).toMatchObject({ status: 200 });
    }
    const authorization = `Bearer ${TOKEN}`;
    for (const path of [`dataset/${DATASET_ID}`, `results/${DATASET_ID}?format=csv`]) {
      expect(await http(`/download/${path}`, { headers: { authorization } })).toMatchObject({ status: 403 });
    }
    expect(await query('{ __typename }')).toMatchObject({ status: 403 });
  });

  it('need their address: without it the program does not start', async () => {
    const env = { ...containerEnv(), ...given, PORT: '0', PUBLIC_URL: '' };
    await expect(start({ env })).rejects.toThrow('PUBLIC_URL must be set');
  });
});

describe('KEDA', () => {
  it('scales the same Deployment between the same limits, to the same utilization, as the HorizontalPodAutoscaler', () => {
    const { scaleTargetRef, minReplicas, maxReplicas, metrics, behavior } = only('HorizontalPodAutoscaler').spec;
    const { spec } = scaledObject;
    expect(spec).toMatchObject({ scaleTargetRef, minReplicaCount: minReplicas, maxReplicaCount: maxReplicas });
    expect(Number(trigger.metadata.threshold) * 100).toBe(metrics[0].resource.target.averageUtilization);
    expect(spec.advanced.horizontalPodAutoscalerConfig.behavior).toMatchObject(behavior);
    expect(spec.triggers).toHaveLength(1);
  });

  it('asks for metrics that the subgraph has, of the job of the PodMonitor', async () => {
    expect(problemsOf(query, await scrape(endpoint.path))).toEqual([]);
    const { selectors } = parseQuery(query);
    expect(selectors).toHaveLength(2);
    for (const { matchers } of selectors) {
      const labels = Object.fromEntries(matchers.map(({ label, value }) => [label, value]));
      expect(labels).toMatchObject({ job: 'dataset-subgraph', namespace: 'default' });
    }
  });

  it('reads the average utilization of the replicas of its job, from their second scrape on', async () => {
    // 12 of 15 seconds are 0.8, and 6 are 0.4.
    await expectValue(query, { ...replica('a', 12), ...replica('b', 6) }, 0.6);
    const others = { ...replica('b', 15, { job: 'other' }), ...replica('c', 15, { namespace: 'staging' }) };
    await expectValue(query, { ...replica('a', 6), ...others }, 0.4);
    // An error for KEDA, where there is no data.
    await expectValue(query, others, undefined);
    expect(trigger).toMatchObject({ metricType: 'Value', metadata: { ignoreNullValues: 'false' } });
    const [active = '', idle = ''] = Object.keys(replica('b', 0));
    await expectValue(query, { ...replica('a', 12), [active]: '_x19 0', [idle]: '_x19 15' }, 0.8);
  });
});
