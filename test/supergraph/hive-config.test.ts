import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { composeSupergraph } from '../composition/composers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { DATASET_ID, dataset, gate, getSummary, queryAt, start, TOKEN } from '../support/harness.ts';
import { PROJECT, startProgram } from '../support/process.ts';
import { PROGRAMS } from './programs/folder.ts';

const SECRET = 'secret-of-the-router';
const HIVE = 'node_modules/@graphql-hive/gateway/dist/bin.js';

/** Starts Hive Gateway with the configuration of `deploy/` in front of a subgraph. Stops after the test. */
async function startHive(url: string, options: readonly string[]): Promise<URL> {
  // The configuration imports a package, which is found from here.
  const folder = await mkdtemp(join(PROGRAMS, '.run-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'gateway.config.ts');
  await copyFile(`${PROJECT}deploy/hive/gateway.config.ts`, config);
  const supergraph = join(folder, 'supergraph.graphql');
  await writeFile(supergraph, composeSupergraph([{ name: 'dataset', url, typeDefs: readTypeDefs() }]));
  const port = await freePort();
  const where = ['--host', '127.0.0.1', '--port', port, '--config-path', config];
  const { ended } = startProgram(process.execPath, [HIVE, 'supergraph', ...where, ...options], {
    cwd: PROGRAMS,
    env: { NODE_ENV: 'production', SUPERGRAPH: supergraph, ROUTER_SECRET: SECRET },
  });
  const gateway = new URL(`http://127.0.0.1:${port}/graphql`);
  const early = ended.then(({ code, stdout, stderr }) => {
    throw new Error(`Hive Gateway exited with code ${code}.\n${stdout}${stderr}`);
  });
  early.catch(() => {});
  await Promise.race([early, eventually(() => queryAt(gateway, '{ __typename }'), { interval: 50 })]);
  return gateway;
}

describe.each([
  { planner: 'JavaScript', options: [] },
  { planner: 'Rust', options: ['--hive-router-runtime'] },
])('Hive Gateway with deploy/hive/gateway.config.ts, $planner planner', ({ options }) => {
  it('sends the secret, the token and the id of the request, and passes on errors', async () => {
    const bed = await start({ env: { ROUTER_SECRET: SECRET } });
    const gateway = await startHive(bed.subgraph.url, options);
    const document = `{ dataset(id: "${DATASET_ID}") { name } gone: dataset(id: "gone") { name } }`;
    const { body } = await queryAt(gateway, document, { headers: { 'x-request-id': 'id-of-the-client' } });
    expect(body.data).toEqual({ dataset: { name: dataset.metadata.name }, gone: null });
    const rest = { operation: 'getDatasetMetadata', status: 404, requestId: 'id-of-the-client' };
    expect(body.errors).toMatchObject([{ path: ['gone'], extensions: { code: 'NOT_FOUND', rest } }]);
    expect(bed.calls().toSorted()).toEqual([getSummary(), getSummary('gone')].toSorted());
    expect(bed.simulator.requests.flatMap(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${TOKEN}`),
    );
  });

  it('ends the REST call when the client disconnects', async () => {
    const bed = await start({ env: { ROUTER_SECRET: SECRET } });
    const gateway = await startHive(bed.subgraph.url, options);
    const arrived = gate();
    bed.simulator.intercept(() => {
      arrived.open();
      return { hang: true };
    });
    const client = new AbortController();
    const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
    const aborted = expect(queryAt(gateway, document, { signal: client.signal })).rejects.toThrow('aborted');
    await arrived.opened;
    client.abort();
    await aborted;
    // Another request gives the gateway time to notice the disconnection.
    await queryAt(gateway, '{ __typename }');
    // The subgraph would end the call too, but not before 20 s.
    const late = AbortSignal.timeout(10_000);
    const tooLate = new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
    expect(await Promise.race([bed.simulator.requests[0]?.outcome, tooLate])).toBe('aborted');
  });
});
