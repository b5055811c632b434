import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { composers } from '../../test/composition/composers.ts';
import { PROJECT } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';

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

  it('Apollo Router forwards only the Authorization header, adds its secret, and passes on `code` and `rest` of errors', () => {
    const config = readYaml('deploy/router.yaml');
    // It cannot be run here, and refuses unknown sections.
    expect(Object.keys(config)).toEqual([
      ...['supergraph', 'health_check', 'headers', 'include_subgraph_errors', 'traffic_shaping', 'limits'],
    ]);
    expect(config.headers.subgraphs.dataset.request).toEqual([
      { propagate: { named: 'authorization' } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the router expands the variable
      { insert: { name: 'router-authorization', value: '${env.ROUTER_SECRET}' } },
    ]);
    expect(config.include_subgraph_errors).toEqual({
      all: { redact_message: true, allow_extensions_keys: [] },
      subgraphs: { dataset: { redact_message: false, allow_extensions_keys: ['code', 'rest'] } },
    });
    // As large as REST responses may be.
    const { http_max_response_size: size } = config.limits.subgraph.subgraphs.dataset;
    expect(size).toBe(`${UPSTREAM_MAX_BYTES / 2 ** 20}MiB`);
  });

  it('Apollo Router, with the lines that are comments, keeps responses by the token of the client', () => {
    const { rhai, response_cache: cache, demand_control: costs } = parseYaml(withComments(), { strict: true });
    expect(costs).toEqual({
      enabled: true,
      mode: 'measure',
      strategy: { static_estimated: { list_size: 10, max: 1_000_000 } },
    });
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
    expect(composers['@apollo/composition']?.(services)).toMatchObject({ errors: [], hints: [] });
  });
});
