import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { queryAt } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';
import { createProductsSchema } from './products.ts';
import { compose, type Member, startApolloGateway } from './suites/gateway.ts';
import { suites } from './suites.ts';

const SUITE = dirname(suites.resolve('@apollo/federation-subgraph-compatibility-tests/package.json'));
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** How many tests the suite has. */
const TESTS = 23;

/** Serves the suite's schema with this project's server. Returns the SDL that routers read. */
async function startProducts(): Promise<Member> {
  const typeDefs = await readFile(join(SUITE, 'products.graphql'), 'utf8');
  const subgraph = await startSubgraph({
    config: readConfig({ PORT: '0', LOG_LEVEL: 'silent', FEDERATED_TRACING: 'on' }),
    serviceUrl: new URL('https://rest.invalid'),
    corsOrigins: [],
    makeSchema: () => createProductsSchema(typeDefs),
  });
  onTestFinished(() => subgraph.stop());
  const { body } = await queryAt(new URL(subgraph.url), '{ _service { sdl } }');
  return { name: 'products', url: subgraph.url, sdl: body.data._service.sdl };
}

/** Starts one of the suite's two other subgraphs. */
async function startOther(name: 'users' | 'inventory'): Promise<Member> {
  const folder = join(SUITE, 'dist/subgraphs', name);
  const program = startProgram(process.execPath, ['-r', here('any-port.cjs'), 'index.js'], { cwd: folder });
  const [url] = await program.printed(/http:\S+(?=\n)/);
  return { name, url, sdl: await readFile(join(folder, `${name}.graphql`), 'utf8') };
}

/** Starts a gateway in front of the subgraphs, instead of the suite's router. */
async function startGateway(members: Member[]): Promise<string> {
  const { supergraphSdl, errors } = compose(members);
  expect(errors).toBeUndefined();
  const { url, stop } = await startApolloGateway(supergraphSdl ?? '');
  onTestFinished(stop);
  return url;
}

/** Runs the published suite with Jest. Returns the result of each test. */
async function runSuite(productsUrl: string, routerUrl: string): Promise<Record<string, string>> {
  const config = {
    rootDir: join(SUITE, 'dist/tests'),
    testEnvironment: 'node',
    moduleNameMapper: { '^make-fetch-happen$': here('router-fetch.cjs') },
    cacheDirectory: here('suites/node_modules/.cache/jest'),
    transform: {},
    watchman: false,
    // Without these, Jest finds no tests in node_modules.
    haste: { retainAllFiles: true },
    testPathIgnorePatterns: [],
  };
  const args = [suites.resolve('jest/bin/jest'), '--ci', '--json', '--runInBand', '--config', JSON.stringify(config)];
  const env = { PRODUCTS_URL: productsUrl, ROUTER_URL: routerUrl };
  const { stdout, stderr } = await startProgram(process.execPath, args, { env }).ended;
  if (stdout === '') throw new Error(stderr);
  const { testResults } = JSON.parse(stdout) as {
    testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[];
  };
  const verdicts = testResults.flatMap(({ assertionResults }) => assertionResults);
  return Object.fromEntries(
    verdicts.map(({ fullName, status, failureMessages }) => [fullName, [status, ...failureMessages].join('\n')]),
  );
}

describe("Apollo's federation subgraph compatibility tests", () => {
  it('pass with their Products schema on this server, and again when it knows their documents', async () => {
    const members = await Promise.all([startProducts(), startOther('users'), startOther('inventory')]);
    const gatewayUrl = await startGateway(members);
    for (const _ of ['new documents', 'known documents']) {
      const verdicts = await runSuite(members[0].url, gatewayUrl);
      expect(Object.entries(verdicts).filter(([, verdict]) => verdict !== 'passed')).toEqual([]);
      expect(Object.keys(verdicts)).toHaveLength(TESTS);
    }
  });
});
