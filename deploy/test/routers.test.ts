import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { composers } from '../../test/composition/composers.ts';
import { freePort } from '../../test/support/free-port.ts';
import { DATASET_ID, dataset, getSummary, queryAt, send, start, TOKEN } from '../../test/support/harness.ts';
import { isTested, linuxOnX64 } from '../../test/support/left-out.ts';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';
import { apolloRouter, cosmoRouter } from './router-schemas.ts';

const GRAFBASE = `${PROJECT}deploy/test/node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase`;
const { OPERATION_TIMEOUT_MS, UPSTREAM_TIMEOUT_MS, UPSTREAM_MAX_BYTES } = readConfig({});
const ENDPOINT = 'http://dataset-subgraph:4000/graphql';

/** The timeouts of a router for the subgraph and for the whole request, in seconds. */
const timeouts: Record<string, () => { subgraph: string; all?: string }> = {
  'Apollo Router': () => {
    const { router, subgraphs } = readYaml('deploy/router.yaml').traffic_shaping;
    return { subgraph: subgraphs.dataset.timeout, all: router.timeout };
  },
  'Cosmo Router': () => ({
    subgraph: readYaml('deploy/cosmo/config.yaml').traffic_shaping.subgraphs.dataset.request_timeout,
  }),
  Grafbase: () => {
    const [, all = '', subgraph = ''] =
      /^timeout = "(.*?)"$.*^timeout = "(.*?)"$/ms.exec(read('deploy/grafbase.toml')) ?? [];
    return { subgraph, all };
  },
  'Hive Gateway': () => {
    const source = read('deploy/hive/gateway.config.ts');
    const [, subgraph = ''] = /upstreamTimeout: (\d+_000),/.exec(source) ?? [];
    const [, all = ''] = /requestDeadline: (\d+_000),/.exec(source) ?? [];
    return { subgraph: subgraph.replace('_000', 's'), all: all.replace('_000', 's') };
  },
};

/** Apollo Router's file, with the sections that are comments: each follows an empty line of its own comment. */
function withComments(): string {
  const paragraphs = read('deploy/router.yaml').split(/\n{2,}/);
  const comments = paragraphs.filter((paragraph) => /^(#.*\n)+#\n(#.*\n?)+$/.test(paragraph));
  const sections = comments.map((comment) => comment.slice(comment.indexOf('\n#\n') + 3).replaceAll(/^# /gm, ''));
  return [...paragraphs, ...sections].join('\n\n');
}

/** Copies of a configuration, each with an unknown member in one object, or with one value of another type. */
function* damages(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries())
      for (const damaged of damages(element)) yield value.with(index, damaged);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, unknown: true };
    for (const [name, member] of Object.entries(value))
      for (const damaged of damages(member)) yield { ...value, [name]: damaged };
  } else {
    yield {};
  }
}

const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);

describe('Configurations of routers', () => {
  it.each(Object.entries(timeouts))(
    '%s has a longer timeout than the subgraph, and a longer one for its clients',
    (_name, read) => {
      const { subgraph, all } = read();
      expect(UPSTREAM_TIMEOUT_MS).toBeLessThan(OPERATION_TIMEOUT_MS);
      expect(seconds(subgraph)).toBeGreaterThan(OPERATION_TIMEOUT_MS / 1000);
      if (all !== undefined) expect(seconds(all)).toBeGreaterThan(seconds(subgraph));
    },
  );

  it('keep idle connections for less time than the subgraph', () => {
    const [, pools = ''] = /longer than the pools of routers (.*?)\. /.exec(read('docs/settings.md')) ?? [];
    const named = [...pools.matchAll(/(\d+) s/g)].map(([, time]) => Number(time));
    expect(named).toEqual([15, 50, 90, 60]);
    expect(readConfig({}).KEEP_ALIVE_MS / 1000).toBeGreaterThan(Math.max(...named));
  });

  it('Apollo Router, 2.15, knows every setting and its type, also those that are comments', () => {
    const plain = readYaml('deploy/router.yaml');
    const whole = parseYaml(withComments(), { strict: true });
    expect(Object.keys(whole).filter((section) => !Object.hasOwn(plain, section))).toEqual([
      'rhai',
      'response_cache',
      'demand_control',
    ]);
    expect(apolloRouter.parse(plain)).toEqual(plain);
    expect(apolloRouter.parse(whole)).toEqual(whole);
    expect(whole.demand_control).toEqual({
      enabled: true,
      mode: 'measure',
      strategy: { static_estimated: { list_size: 10, max: 1_000_000 } },
    });
  });

  it('Cosmo Router knows every setting and its type', () => {
    const config = readYaml('deploy/cosmo/config.yaml');
    expect(cosmoRouter.parse(config)).toEqual(config);
  });

  it.each([
    ['deploy/router.yaml', apolloRouter],
    ['deploy/cosmo/config.yaml', cosmoRouter],
  ])('%s has no member that could be misspelt, and no value that could have another type', (file, schema) => {
    const config = readYaml(file);
    const broken = [...damages(config)];
    expect(broken.length).toBeGreaterThan(20);
    for (const each of broken) expect(schema.safeParse(each).success, JSON.stringify(each)).toBe(false);
  });

  it('Apollo Router forwards only the Authorization header, and adds its secret', () => {
    const { headers } = readYaml('deploy/router.yaml');
    expect(headers).toEqual({
      subgraphs: {
        dataset: {
          request: [
            { propagate: { named: 'authorization' } },
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the router expands the variable
            { insert: { name: 'router-authorization', value: '${env.ROUTER_SECRET}' } },
          ],
        },
      },
    });
  });

  it('Apollo Router passes on `code` and `rest` of errors, and limits responses to the size of REST responses', () => {
    const { include_subgraph_errors, limits } = readYaml('deploy/router.yaml');
    expect(include_subgraph_errors).toEqual({
      all: { redact_message: true, allow_extensions_keys: [] },
      subgraphs: { dataset: { redact_message: false, allow_extensions_keys: ['code', 'rest'] } },
    });
    const [, mebibytes] = /^(\d+)MiB$/.exec(limits.subgraph.subgraphs.dataset.http_max_response_size) ?? [];
    expect(Number(mebibytes) * 2 ** 20).toBe(UPSTREAM_MAX_BYTES);
  });

  it('Apollo Router, with the lines that are comments, keeps responses by the token of the client', () => {
    const { rhai, response_cache: cache } = parseYaml(withComments());
    const { private_id: entry, ...subgraph } = cache.subgraph.subgraphs.dataset;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the router expands the variable
    expect(subgraph).toEqual({ enabled: true, ttl: '1s', redis: { urls: ['${env.REDIS_URL}'] } });
    expect(cache).toMatchObject({ enabled: true, subgraph: { all: { enabled: false } } });
    expect(read(`${rhai.scripts}/main.rhai`)).toContain(
      `request.context["${entry}"] = request.headers["authorization"];`,
    );
  });

  it('Cosmo Router does the same', () => {
    const { headers, subgraph_error_propagation } = readYaml('deploy/cosmo/config.yaml');
    expect(headers.subgraphs.dataset.request).toEqual([
      { op: 'propagate', named: 'Authorization' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the router expands the variable
      { op: 'set', name: 'Router-Authorization', value: '${ROUTER_SECRET}' },
    ]);
    expect(subgraph_error_propagation).toMatchObject({
      mode: 'pass-through',
      allowed_extension_fields: ['code', 'rest'],
    });
  });

  it.each(['deploy/supergraph.yaml', 'deploy/cosmo/graph.yaml'])('%s refers to schemas that compose', (file) => {
    const { subgraphs } = readYaml(file);
    // rover has a map of subgraphs, wgc a list.
    const all = Array.isArray(subgraphs)
      ? subgraphs
      : Object.entries(subgraphs).map(([name, subgraph]) => ({ name, ...(subgraph as object) }));
    const services = all.map(({ name, routing_url: url, schema }) => {
      const typeDefs = parse(readFileSync(resolve(PROJECT, dirname(file), schema.file), 'utf8'));
      return { name, url, typeDefs };
    });
    expect(services.map(({ name, url }) => ({ name, url }))).toEqual([{ name: 'dataset', url: ENDPOINT }]);
    expect(composers['@apollo/composition']?.(services)).toEqual({ errors: [], hints: [] });
  });
});

describe.runIf(isTested('deploy/grafbase.toml', linuxOnX64))('Grafbase with its configuration', () => {
  it('composes the schema', async () => {
    const { code, stdout } = await startProgram(GRAFBASE, ['compose', '-c', 'deploy/grafbase.toml'], {
      env: { ROUTER_SECRET: 'secret-of-the-router' },
    }).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/@join__graph\(name: "dataset", url: "http:\/\/dataset-subgraph:4000\/graphql"\)/);
  });

  it('sends the secret and the token, passes on errors, and forwards no other header', async () => {
    const bed = await start({ env: { ROUTER_SECRET: 'secret-of-the-router' } });
    const gateway = await startGrafbase(bed.subgraph.url, { ROUTER_SECRET: 'secret-of-the-router' });
    const headers = { 'x-request-id': 'not-sent-on' };
    const document = '{ dataset(id: "ID") { name } gone: dataset(id: "gone") { name } }'.replace('ID', DATASET_ID);
    const { body } = await queryAt(gateway, document, { headers });
    expect(body.data).toEqual({ dataset: { name: dataset.metadata.name }, gone: null });
    expect(body.errors).toMatchObject([
      { path: ['gone'], extensions: { code: 'NOT_FOUND', rest: { operation: 'getDatasetMetadata', status: 404 } } },
    ]);
    expect(JSON.stringify(body)).not.toContain('not-sent-on');
    expect(bed.calls().toSorted()).toEqual([getSummary(), getSummary('gone')].toSorted());
    expect(bed.simulator.requests.flatMap(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${TOKEN}`),
    );
  });

  it('plans with the type names of SCHEMA_NAMES', async () => {
    const names = {
      SCHEMA_NAMES: 'ResultsFilterInput:FooResultsFilterInput,AssetSeries:FooAssetSeries,Result:FooResult',
    };
    const bed = await start({ env: { ROUTER_SECRET: 'secret-of-the-router', ...names } });
    const { ended } = startProgram('npm', ['run', '--silent', 'schema'], { env: names });
    const gateway = await startGrafbase(
      bed.subgraph.url,
      { ROUTER_SECRET: 'secret-of-the-router' },
      (await ended).stdout,
    );
    const document = `
      query ($id: ID!, $filter: FooResultsFilterInput) {
        dataset(id: $id) { results(filter: $filter) { series { nodes { ...Series } } } }
      }
      fragment Series on FooAssetSeries { __typename asset { __typename assetId } rows(first: 1) { __typename } }
    `;
    const { body } = await queryAt(gateway, document, { variables: { id: DATASET_ID, filter: { assetIds: ['b'] } } });
    const series = {
      __typename: 'FooAssetSeries',
      asset: { __typename: 'Asset', assetId: 'b' },
      rows: [{ __typename: 'FooResult' }],
    };
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes: [series] } } } } });
    expect(bed.filters()).toEqual([{ mo_ids: ['b'] }]);
  });

  it('is rejected with another secret', async () => {
    const bed = await start({ env: { ROUTER_SECRET: 'secret-of-the-router' } });
    const gateway = await startGrafbase(bed.subgraph.url, { ROUTER_SECRET: 'another' });
    const { body } = await queryAt(gateway, `{ dataset(id: "${DATASET_ID}") { name } }`);
    expect(body.data ?? { dataset: null }).toEqual({ dataset: null });
    expect(body.errors).toHaveLength(1);
    expect(bed.calls()).toEqual([]);
  });

  /** Starts Grafbase in front of a subgraph with the configuration file and other addresses. Stops after the test. */
  async function startGrafbase(subgraphUrl: string, env: Record<string, string>, schema?: string): Promise<URL> {
    const directory = await mkdtemp(join(tmpdir(), 'grafbase-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const config = read('deploy/grafbase.toml')
      .replace(ENDPOINT, subgraphUrl)
      .replace('../schema.graphql', 'schema.graphql');
    await writeFile(join(directory, 'schema.graphql'), schema ?? read('schema.graphql'));
    await writeFile(join(directory, 'grafbase.toml'), config);
    const address = `127.0.0.1:${await freePort()}`;
    startProgram(GRAFBASE, ['dev', '-c', 'grafbase.toml', '--listen-address', address], { env, cwd: directory });
    const health = new URL(`http://${address}/health`);
    await vi.waitFor(() => send(health), { timeout: 10_000, interval: 50 });
    return new URL(`http://${address}/graphql`);
  }
});
