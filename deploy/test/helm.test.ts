import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { isTested, linuxOnX64 } from '../../test/support/left-out.ts';
import { read, readYaml } from './files.ts';
import { envOf, helm, refusal, template, url, withoutItsLabels } from './helm.ts';
import { type Manifest, manifests, only } from './manifests.ts';

const production = ['-f', 'deploy/chart/values-production.yaml'];

/** Settings that the chart sets itself. */
const notOfChart = new Set(['HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT']);

const byKind = (all: readonly Manifest[]) => all.toSorted((a, b) => a.kind.localeCompare(b.kind));

describe.runIf(isTested('the Helm chart, deploy/chart', linuxOnX64))('The Helm chart', () => {
  it('has no faults for helm lint, and makes the manifests of deploy/kubernetes', async () => {
    const { code, stdout } = await helm('lint', 'deploy/chart', '--strict', ...url);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 chart(s) failed') });
    expect(withoutItsLabels(byKind(await template(...url)))).toEqual(byKind(manifests));
  });

  it('makes those of deploy/kubernetes-production with its other values', async () => {
    const made = withoutItsLabels(await template(...url, ...production));
    const { spec } = readYaml('deploy/kubernetes-production/deployment.yaml').spec.template;
    const pod = only('Deployment', made).spec.template.spec;
    expect(pod.topologySpreadConstraints).toEqual([
      ...spec.topologySpreadConstraints,
      ...only('Deployment').spec.template.spec.topologySpreadConstraints,
    ]);
    expect(envOf(made)).toEqual(expect.arrayContaining(spec.containers[0].env));
    expect(only('HorizontalPodAutoscaler', made).spec.minReplicas).toBe(3);
  });

  it('makes the optional objects on demand', async () => {
    const made = withoutItsLabels(
      await template(
        ...url,
        ...['--set', 'autoscaling.keda.enabled=true,metrics.podMonitor.enabled=true,metrics.annotations=true'],
      ),
    );
    expect(only('ScaledObject', made)).toEqual(readYaml('deploy/kubernetes-optional/scaled-object.yaml'));
    expect(only('PodMonitor', made)).toEqual(readYaml('deploy/kubernetes-optional/pod-monitor.yaml'));
    const { annotations } = readYaml('deploy/kubernetes-optional/scrape-annotations.yaml').spec.template.metadata;
    expect(only('Deployment', made).spec.template.metadata.annotations).toEqual(annotations);
    expect(made.map(({ kind }) => kind)).not.toContain('HorizontalPodAutoscaler');
    expect((await template(...url, '--set', 'networkPolicy.enabled=false')).map(({ kind }) => kind)).not.toContain(
      'NetworkPolicy',
    );
  });

  it('gives the release’s name to objects and pods', async () => {
    const { stdout } = await helm('template', 'second', 'deploy/chart', '--kube-version', '1.30', ...url);
    const made: Manifest[] = parseAllDocuments(stdout).map((document) => document.toJS());
    expect(new Set(made.map(({ metadata }) => metadata.name))).toEqual(new Set(['second-dataset-subgraph']));
    const pods = { 'app.kubernetes.io/name': 'dataset-subgraph', 'app.kubernetes.io/instance': 'second' };
    const { spec } = only('Deployment', made);
    expect([spec.template.metadata.labels, spec.selector.matchLabels]).toEqual([pods, pods]);
    expect(only('Service', made).spec.selector).toEqual(pods);
    for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) {
      expect(Object.values(only(kind, made).spec)).toContainEqual({ matchLabels: pods });
    }
    expect(only('HorizontalPodAutoscaler', made).spec.scaleTargetRef.name).toBe('second-dataset-subgraph');
  });

  it('names the image by its tag or its digest, and has the version of the package', async () => {
    const { version } = JSON.parse(read('package.json'));
    expect(readYaml('deploy/chart/Chart.yaml')).toMatchObject({ version, appVersion: version });
    expect(only('Deployment').spec.template.spec.containers[0].image).toBe(`dataset-subgraph:${version}`);
    const imageOf = async (...set: string[]) =>
      only('Deployment', await template(...url, ...set)).spec.template.spec.containers[0].image;
    const repository = ['--set', 'image.repository=registry.example.com/dataset-subgraph'];
    expect(await imageOf(...repository)).toBe('registry.example.com/dataset-subgraph:0.1.0');
    expect(await imageOf(...repository, '--set', 'image.tag=0.1.0-a')).toBe(
      'registry.example.com/dataset-subgraph:0.1.0-a',
    );
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await imageOf(...repository, '--set', `image.digest=${digest}`)).toBe(
      `registry.example.com/dataset-subgraph@${digest}`,
    );
  });

  it('has the settings as values: the names of all others are errors, and so are secrets', async () => {
    const names = [...read('src/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
    const { definitions } = JSON.parse(read('deploy/chart/values.schema.json'));
    const inValues = [...definitions.setting.enum, ...definitions.secretSetting.enum];
    expect([...new Set(inValues)].toSorted()).toEqual(names.filter((name) => !notOfChart.has(name)).toSorted());
    expect(definitions.setting.enum.filter((name: string) => name.endsWith('_SECRET'))).toEqual([]);

    const set = ['--set', 'settings.MAX_OPERATIONS=20,settings.UPSTREAM_MAX_BYTES=268435456'];
    const secrets = [
      '--set',
      'secretSettings.DOWNLOAD_TICKET_SECRET.name=tickets,secretSettings.DOWNLOAD_TICKET_SECRET.key=secret',
    ];
    const env = envOf(await template(...url, ...set, ...secrets, '--set', 'secretSettings.ROUTER_SECRET=null'));
    expect(env.filter(({ value }) => value === undefined)).toEqual([
      { name: 'DOWNLOAD_TICKET_SECRET', valueFrom: { secretKeyRef: { name: 'tickets', key: 'secret' } } },
    ]);
    expect(readConfig(Object.fromEntries(env.map(({ name, value }) => [name, value])))).toMatchObject({
      MAX_OPERATIONS: 20,
      UPSTREAM_MAX_BYTES: 268_435_456,
      METRICS_PORT: 9464,
    });

    expect(await refusal('--kube-version', '1.30')).toContain('Set settings.DATASET_SERVICE_URL');
    expect(await refusal('--kube-version', '1.29', ...url)).toContain('incompatible with Kubernetes v1.29');
    expect(await refusal(...url, '--set', 'settings.MAX_OPERATION=20')).toContain('MAX_OPERATION');
    expect(await refusal(...url, '--set', 'settings.ROUTER_SECRET=a')).toContain('ROUTER_SECRET');
    expect(await refusal(...url, '--set', 'autoscale.minReplicas=3')).toContain('autoscale');
  });
});
