import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { readConfig } from '../../src/config.ts';
import { DATASET_ID, dataset, queryAt, send, startService } from '../../test/support/harness.ts';
import { type Ending, endpointOf, startProgram } from '../../test/support/process.ts';
import { containerEnv, containerStages, inStage } from './containerfile.ts';
import { read, readYaml } from './files.ts';
import { apolloRouter } from './router-schema.ts';

const FILE = 'deploy/compose.yaml';
const SECRET = 'secret-of-the-router';
const duration = z.string().regex(/^\d+(ms|s|m)$/);

/** The parts of the Compose Specification that the file uses. Like Compose, they reject unknown members. */
const composeFile = z.strictObject({
  name: z.string(),
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.string().regex(/^[\w./-]+:v?\d+\.\d+\.\d+$/),
      build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()),
      expose: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
      volumes: z.array(z.string()).optional(),
      healthcheck: z.strictObject({
        test: z.array(z.string()),
        interval: duration,
        timeout: duration,
        start_period: duration,
        retries: z.int(),
      }),
      depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
      stop_grace_period: duration,
      restart: z.literal('unless-stopped'),
      mem_limit: z.string().optional(),
      read_only: z.boolean().optional(),
      cap_drop: z.array(z.string()),
      security_opt: z.array(z.string()),
    }),
  ),
});

const { services } = composeFile.parse(readYaml(FILE));
const { 'dataset-subgraph': subgraph, router } = services as {
  [name in 'dataset-subgraph' | 'router']: (typeof services)[string];
};

/** The environment of a service as Compose makes it of its own. */
function environmentOf({ environment }: (typeof services)[string], own: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const [, variable] = /^\$\{(\w+):\?[^}]+\}$/.exec(value) ?? [];
      return [name, variable === undefined ? value : (own[variable] ?? '')];
    }),
  );
}

/** Runs the health check of a service where its server listens at another port. */
function check({ healthcheck }: (typeof services)[string], port: number): Promise<Ending> {
  const [kind, command = '', ...args] = healthcheck.test;
  expect(kind).toBe('CMD');
  const here = args.map((word) => word.replace(/127\.0\.0\.1([:/])(4000|8088)\b/, `127.0.0.1$1${port}`));
  expect(here).not.toEqual(args);
  return startProgram(command === 'node' ? process.execPath : command, here).ended;
}

describe(FILE, () => {
  it('takes secrets and addresses from the environment, and does not start without them', () => {
    const values = Object.values(services).flatMap(({ environment }) => Object.entries(environment));
    const own = values.filter(([, value]) => value.includes('$'));
    expect(own.map(([name]) => name)).toEqual(['DATASET_SERVICE_URL', 'ROUTER_SECRET', 'ROUTER_SECRET']);
    for (const [name, value] of own) expect(value).toMatch(new RegExp(`^\\$\\{${name}:\\?set it to [^}]+\\}$`));
    const given = /^# +export (.*)$/m.exec(read(FILE))?.[1] ?? '';
    expect([...given.matchAll(/\b([A-Z_]+)=/g)].map(([, name]) => name)).toEqual([
      ...new Set(own.map(([name]) => name)),
    ]);
  });

  it('has settings that the subgraph accepts', () => {
    const own = { DATASET_SERVICE_URL: 'https://api.example.com', ROUTER_SECRET: SECRET };
    const environment = environmentOf(subgraph, own);
    for (const name of Object.keys(environment)) expect(read('src/config.ts')).toContain(`  ${name}: `);
    expect(readConfig({ ...containerEnv(), ...environment })).toMatchObject({
      DATASET_SERVICE_URL: new URL(own.DATASET_SERVICE_URL),
      ROUTER_SECRET: [SECRET],
      INTROSPECTION: 'off',
      HOST: '0.0.0.0',
      PORT: 4000,
      ignored: [],
    });
    expect(environmentOf(router, own).ROUTER_SECRET).toBe(SECRET);
  });

  it('builds the image of the Containerfile, whose name and version the manifests have too', () => {
    const { context, dockerfile } = subgraph.build ?? { context: '', dockerfile: '' };
    expect(join(dirname(FILE), context, dockerfile)).toBe('deploy/Containerfile');
    expect(read('deploy/kubernetes/deployment.yaml')).toContain(`image: ${subgraph.image}\n`);
  });

  it('starts the router with deploy/router.yaml, which its schema accepts, and the supergraph of its commands', () => {
    const mounts = new Map(
      (router.volumes ?? []).map((volume) => {
        const [source = '', target = '', mode] = volume.split(':');
        expect(mode).toBe('ro');
        return [target, join(dirname(FILE), source)];
      }),
    );
    const config = readYaml(mounts.get('/dist/config/router.yaml') ?? '');
    expect(config).toEqual(readYaml('deploy/router.yaml'));
    expect(apolloRouter.parse(config)).toEqual(config);
    const [option, supergraph = ''] = router.command ?? [];
    expect(option).toBe('--supergraph');
    const [, output] = /^# +rover supergraph compose .* --output (\S+)$/m.exec(read(FILE)) ?? [];
    expect(mounts.get(supergraph)).toBe(output);
    const [, oldest = ''] = /^# Apollo Router \((\d+\.\d+) or newer\)/.exec(read('deploy/router.yaml')) ?? [];
    expect(router.image).toMatch(new RegExp(`^ghcr\\.io/apollographql/router:v${oldest}\\.\\d+$`));
    // The router expands what it is given.
    const variables = [
      ...read('deploy/router.yaml')
        .replaceAll(/^#.*$/gm, '')
        .matchAll(/\$\{env\.(\w+)\}/g),
    ];
    for (const [, name = ''] of variables) expect(router.environment).toHaveProperty(name);
    expect(variables).toHaveLength(1);
  });

  it('has the ports and the names that the files of the router have', () => {
    const config = readYaml('deploy/router.yaml');
    const portOf = (address: string) => address.split(':').at(-1) ?? '';
    expect(router.ports).toEqual([`127.0.0.1:4000:${portOf(config.supergraph.listen)}`]);
    expect(router.healthcheck.test.join(' ')).toContain(`/${portOf(config.health_check.listen)} `);
    const { hostname, port } = new URL(readYaml('deploy/supergraph.yaml').subgraphs.dataset.routing_url);
    expect([services[hostname], subgraph.expose]).toEqual([subgraph, [port]]);
    expect(Object.keys(router.depends_on ?? {})).toEqual([hostname]);
    // The subgraph cannot be reached from outside.
    expect(subgraph.ports).toBeUndefined();
  });

  it('gives operations time to end', () => {
    const { OPERATION_TIMEOUT_MS } = readConfig({});
    const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);
    // Five more in which connections are accepted, and one to respond.
    expect(seconds(subgraph.stop_grace_period)).toBeGreaterThan(OPERATION_TIMEOUT_MS / 1000 + 6);
    const { timeout } = readYaml('deploy/router.yaml').traffic_shaping.router;
    expect(seconds(router.stop_grace_period)).toBeGreaterThan(seconds(timeout));
  });

  it('runs the subgraph, which the health check finds ready, and only the router may query', async () => {
    const simulator = await startService();
    const environment = environmentOf(subgraph, { DATASET_SERVICE_URL: simulator.url, ROUTER_SECRET: SECRET });
    // The command of the image, on the sources that it compiles, and without what only a container has to itself.
    const [command = ''] = inStage(containerStages().at(-1) ?? [], 'CMD');
    const [node, program = ''] = JSON.parse(command);
    expect([node, subgraph.command]).toEqual(['node', undefined]);
    const source = program.replace(/^dist\//, '').replace(/js$/, 'ts');
    const { HOST: _, ...imageEnv } = containerEnv();
    const running = startProgram(process.execPath, [source], { env: { ...imageEnv, ...environment, PORT: '0' } });
    const endpoint = await endpointOf(running);
    expect(await check(subgraph, Number(endpoint.port))).toMatchObject({ code: 0, stderr: '' });
    const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
    const { headers } = readYaml('deploy/router.yaml');
    const inserted = headers.subgraphs.dataset.request.flatMap(
      ({ insert }: { insert?: { name: string; value: string } }) => insert ?? [],
    );
    const asRouter = Object.fromEntries(
      inserted.map(({ name, value }: { name: string; value: string }) => [
        name,
        value.replaceAll(/\$\{env\.(\w+)\}/g, (_match, variable) => environment[variable] ?? ''),
      ]),
    );
    expect((await queryAt(endpoint, document, { headers: asRouter })).body).toEqual({
      data: { dataset: { name: dataset.metadata.name } },
    });
    expect((await queryAt(endpoint, document)).status).toBe(403);
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await check(subgraph, Number(endpoint.port))).toMatchObject({ code: 1 });
  });

  it.each<[string, number, string, number]>([
    ['up', 200, '{"status":"UP"}', 0],
    ['down', 503, '{"status":"DOWN"}', 1],
  ])('checks the health of a router that is %s', async (_state, status, body, code) => {
    const targets: string[] = [];
    const server = createServer(({ method, url }, response) => {
      targets.push(`${method} ${url}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    expect((await send(new URL(`http://127.0.0.1:${port}/health`))).text).toBe(body);
    expect(await check(router, port)).toMatchObject({ code, stderr: '' });
    expect(targets).toEqual(['GET /health', 'GET /health']);
  });
});
