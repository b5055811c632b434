import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { names, rowsOf } from '../../test/support/doc-blocks.ts';
import { isTested, linuxOnX64 } from '../../test/support/left-out.ts';
import { read, readAllYaml, readYaml } from './files.ts';
import { envOf, helm, refusal, template, url, withoutItsLabels } from './helm.ts';
import { type Manifest, only } from './manifests.ts';

const EVERYTHING = 'deploy/chart/ci/everything-values.yaml';

const values = readYaml(EVERYTHING);
const { properties } = JSON.parse(read('deploy/chart/values.schema.json'));

const pods = { 'app.kubernetes.io/name': 'dataset-subgraph', 'app.kubernetes.io/instance': 'dataset-subgraph' };

/** Options for helm with these values. They are JSON, which is YAML without the booleans `on` and `off`. */
async function given(of: object): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'values-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'values.json');
  await writeFile(file, JSON.stringify(of));
  return ['-f', file];
}

/** All texts of a value, at any depth. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap(textsOf);
}

describe.runIf(isTested('what the Helm chart opens, deploy/chart', linuxOnX64))('What the Helm chart opens', () => {
  it('has no faults for helm lint', async () => {
    const { code, stdout } = await helm('lint', 'deploy/chart', '--strict', '-f', EVERYTHING);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 chart(s) failed') });
  });

  it('is in the rendered objects: each value of the example', async () => {
    const made = await template('-f', EVERYTHING);
    const { metadata, spec } = only('Deployment', made).spec.template;
    const [container] = spec.containers;
    expect(metadata.labels).toEqual({ ...pods, ...values.podLabels });
    expect(metadata.annotations).toMatchObject({ ...values.podAnnotations, 'prometheus.io/scrape': 'true' });
    const { imagePullSecrets, priorityClassName, nodeSelector, tolerations, affinity, volumes } = values;
    expect(spec).toMatchObject({ imagePullSecrets, priorityClassName, nodeSelector, tolerations, affinity, volumes });
    expect(container).toMatchObject({
      image: `${values.image.repository}:${values.image.tag}`,
      imagePullPolicy: values.image.pullPolicy,
      envFrom: values.extraEnvFrom,
      volumeMounts: values.volumeMounts,
    });
    // The chart's for zones stays; that for hosts is replaced.
    const [ofHosts, ofRegions] = values.topologySpreadConstraints;
    expect(spec.topologySpreadConstraints).toEqual([
      expect.objectContaining({ topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }),
      { ...ofHosts, labelSelector: { matchLabels: pods } },
      ofRegions,
    ]);

    expect(spec.serviceAccountName).toBe(values.serviceAccount.name);
    expect(only('ServiceAccount', made)).toMatchObject({
      metadata: { name: values.serviceAccount.name, annotations: values.serviceAccount.annotations },
      automountServiceAccountToken: false,
    });

    const { annotations: ofIngress, className, tls } = values.ingress;
    expect(only('Ingress', made)).toMatchObject({
      metadata: { annotations: ofIngress },
      spec: { ingressClassName: className, tls, rules: [{ host: values.ingress.hosts[0] }] },
    });
    const { annotations, parentRefs, hostnames, filters, timeouts } = values.httpRoute;
    expect(only('HTTPRoute', made)).toMatchObject({ metadata: { annotations }, spec: { parentRefs, hostnames } });
    expect(only('HTTPRoute', made).spec.rules).toEqual([
      {
        matches: [{ path: { type: 'PathPrefix', value: '/download/' } }],
        ...{ filters, timeouts },
        backendRefs: [{ name: 'dataset-subgraph', port: only('Service', made).spec.ports[0].port }],
      },
    ]);

    const rendered = new Set(textsOf(made));
    const { settings, spreadOverZones: _, metrics: _metrics, ...others } = values;
    const switches = new Set(['true', 'false', values.image.repository, values.image.tag]);
    expect(textsOf(others).filter((text) => !rendered.has(text) && !switches.has(text))).toEqual([]);
    expect(Object.keys(settings).filter((name) => !rendered.has(name))).toEqual([]);
  });

  it('is everything: the example has each value that the schema has, but for those that it leaves as they are', () => {
    const leftAlone = ['global', 'resources', 'terminationGracePeriodSeconds', 'autoscaling'];
    expect(Object.keys(values).toSorted()).toEqual(
      Object.keys(properties)
        .filter((name) => !leftAlone.includes(name))
        .toSorted(),
    );
  });

  it('changes nothing unless it is used', async () => {
    const kinds = (await template(...url)).map(({ kind }) => kind);
    for (const kind of ['ServiceAccount', 'Ingress', 'HTTPRoute']) expect(kinds).not.toContain(kind);
  });

  it('uses a service account that is there, and names a new one as the release', async () => {
    const existing = await template(...url, '--set', 'serviceAccount.name=datasets');
    expect(only('Deployment', existing).spec.template.spec.serviceAccountName).toBe('datasets');
    expect(existing.map(({ kind }) => kind)).not.toContain('ServiceAccount');
    const created = await template(...url, '--set', 'serviceAccount.create=true');
    expect(only('Deployment', created).spec.template.spec.serviceAccountName).toBe('dataset-subgraph');
    expect(only('ServiceAccount', created).metadata.name).toBe('dataset-subgraph');
  });

  it('makes the Ingress of deploy/kubernetes-optional, and lets its controller in', async () => {
    const [ingress, policy] = readAllYaml('deploy/kubernetes-optional/ingress.yaml') as [Manifest, Manifest];
    const { ingressClassName: className, tls, rules } = ingress.spec;
    const [{ namespaceSelector, podSelector }] = policy.spec.ingress[0].from;
    const controller = {
      namespace: namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
      labels: podSelector.matchLabels,
    };
    const of = {
      ingress: { enabled: true, className, tls, hosts: rules.map(({ host }: { host: string }) => host) },
      networkPolicy: { controller },
    };
    const made = withoutItsLabels(await template(...url, ...(await given(of))));
    expect(only('Ingress', made).spec).toEqual(ingress.spec);
    expect(only('NetworkPolicy', made).spec.ingress).toEqual([
      expect.anything(),
      expect.anything(),
      ...policy.spec.ingress,
    ]);
  });

  it('lets in all pods of the namespace of a gateway that has no labels', async () => {
    const of = {
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
      networkPolicy: { controller: { namespace: 'gateways' } },
    };
    const made = await template(...url, ...(await given(of)));
    expect(only('NetworkPolicy', made).spec.ingress.at(-1)).toEqual({
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } }],
      ports: [{ protocol: 'TCP', port: 'graphql' }],
    });
    expect(only('HTTPRoute', made).spec).not.toHaveProperty('hostnames');
  });

  it.each([
    ['a route without a gateway', { httpRoute: { enabled: true } }, 'httpRoute.parentRefs'],
    [
      'an Ingress whose controller is not let in',
      { ingress: { enabled: true, hosts: ['a.example'] } },
      'Set networkPolicy.controller.namespace',
    ],
    ['a spread without a skew', { topologySpreadConstraints: [{ topologyKey: 'a' }] }, 'maxSkew is required'],
    [
      'a variable with two values',
      { extraEnv: [{ name: 'A', value: 'a', valueFrom: { fieldRef: {} } }] },
      'extraEnv.0',
    ],
    ['a volume of nothing', { volumes: [{ name: 'ca' }] }, 'volumes.0'],
    ['a label that selects pods', { podLabels: { 'app.kubernetes.io/name': 'a' } }, 'podLabels'],
    ['a boolean for a number', { settings: { MAX_OPERATIONS: true } }, 'settings.MAX_OPERATIONS'],
    [
      'the port of the image',
      { extraEnv: [{ name: 'PORT', value: 80 }] },
      'Remove PORT from extraEnv: the image sets it',
    ],
    [
      'a setting twice',
      { settings: { CACHE: 'memory' }, extraEnv: [{ name: 'CACHE', value: 'off' }] },
      'Remove CACHE from extraEnv: settings sets it',
    ],
    [
      'a secret twice',
      { extraEnv: [{ name: 'ROUTER_SECRET', value: 'a' }] },
      'Remove ROUTER_SECRET from extraEnv: secretSettings sets it',
    ],
    [
      'a proxy twice',
      { settings: { HTTP_PROXY: 'http://a' }, secretSettings: { HTTP_PROXY: { name: 'a', key: 'b' } } },
      'Remove HTTP_PROXY from secretSettings or from settings',
    ],
  ])('does not take %s', async (_title, wrong, message) => {
    expect(await refusal('--kube-version', '1.30', ...url, ...(await given(wrong)))).toContain(message);
  });

  it('may have the address of the service from elsewhere', async () => {
    const reference = { configMapKeyRef: { name: 'services', key: 'datasets' } };
    const variable = { name: 'DATASET_SERVICE_URL', valueFrom: reference };
    expect(envOf(await template(...(await given({ extraEnv: [variable] }))))).toContainEqual(variable);
    const from = [{ configMapRef: { name: 'services' } }];
    expect(envOf(await template(...(await given({ extraEnvFrom: from })))).map(({ name }) => name)).not.toContain(
      'DATASET_SERVICE_URL',
    );
  });
});

describe.runIf(isTested('the settings of the Helm chart, deploy/chart', linuxOnX64))(
  'Settings of the Helm chart',
  () => {
    it('are numbers and booleans as the program reads them, from a file and from the command line', async () => {
      const env = envOf(await template('-f', EVERYTHING)).map(({ name, value = 'x'.repeat(32) }) => [name, value]);
      const config = readConfig({ ...Object.fromEntries(env), HTTPS_PROXY: 'http://proxy:3128' });
      expect(config.ignored).toEqual([]);
      expect(config).toMatchObject({
        MAX_OPERATIONS: 20,
        UPSTREAM_MAX_BYTES: 268_435_456,
        INTROSPECTION: 'off',
        LOG_OPERATIONS: 'on',
        OTEL_SDK_DISABLED: 'false',
        OTEL_TRACES_SAMPLER_ARG: 0.25,
      });
      const most = { CACHE_MAX_BYTES: 2 ** 40, MAX_OPERATION_WORK: 1_000_000_000_000, CACHE_STALE_SECONDS: 0 };
      const set = Object.entries(most).flatMap(([name, value]) => ['--set', `settings.${name}=${value}`]);
      for (const options of [set, await given({ settings: most })]) {
        const made = envOf(await template(...url, ...options)).map(({ name, value }) => [name, value]);
        expect(readConfig(Object.fromEntries(made))).toMatchObject(most);
      }
      const booleans = ['--set', 'settings.TRACE_UPSTREAM=true,settings.CACHE=false,settings.OTEL_SDK_DISABLED=true'];
      expect(envOf(await template(...url, ...booleans))).toEqual(
        expect.arrayContaining([
          { name: 'TRACE_UPSTREAM', value: 'on' },
          { name: 'CACHE', value: 'off' },
          { name: 'OTEL_SDK_DISABLED', value: 'true' },
        ]),
      );
    });

    it('are booleans where docs/settings.md allows on, off, true or false', async () => {
      const rows = rowsOf('docs/settings.md', 'variable', 'default', 'allowed').flatMap(
        ([variables = '', , allowed = '']) => names(variables).map((name) => ({ name, choices: names(allowed) })),
      );
      const named = (...choices: string[]) =>
        rows.filter((row) => choices.every((choice) => row.choices.includes(choice))).map(({ name }) => name);
      const switches = [...named('on', 'off'), ...named('false', 'true')];
      const typed = (reference: string) =>
        Object.entries(properties.settings.properties as Record<string, { $ref: string }>).flatMap(
          ([name, { $ref }]) => ($ref === `#/definitions/${reference}` ? [name] : []),
        );
      expect(typed('switch')).toEqual(switches.toSorted());
      expect(typed('offSwitch')).toEqual(
        named('off')
          .filter((name) => !switches.includes(name))
          .toSorted(),
      );
      expect(await refusal(...url, '--set', 'settings.CACHE=true')).toContain('settings.CACHE');
    });
  },
);
