import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'graphql';
import { type Simulator, startSimulator } from '../../simulator/src/simulator.ts';
import { composeSupergraph } from '../composition/composers.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, describeCall, queryAt, type Request } from '../support/harness.ts';
import { type Ending, endpointOf, type GuardedProgram, startGuarded } from '../support/process.ts';
import { SECRET, service, settings } from './data.ts';
import type { Gateway, Supergraph } from './gateways/gateways.ts';
import { PROGRAMS } from './programs/folder.ts';
import { emptyData, type OtherData, type OtherSubgraph, startOther } from './subgraphs/others.ts';

/** A gateway in front of this subgraph, in a separate process, and of other teams' subgraphs. */
export interface Rig {
  readonly gateway: Gateway;
  /** How the gateway's process ends. */
  readonly gatewayEnded: Promise<Ending>;
  readonly simulator: Simulator;
  /** The data of the other teams' subgraphs. */
  readonly others: OtherData;
  /** The endpoint of the gateway. */
  readonly url: URL;
  /** Queries the gateway. */
  query(document: string, request?: Request): Promise<Answer>;
  /** Queries the subgraph, without the gateway. */
  querySubgraph(document: string, request?: Request): Promise<Answer>;
  /** The REST calls so far as `METHOD target body`, in order of arrival. */
  calls(): string[];
  /** Forgets the calls and the other teams' data, and ends what intercepts calls. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts everything on free ports: the gateway, this subgraph with further settings, and other teams' subgraphs. */
export async function startRig(
  gateway: Gateway,
  subgraphsOf: (data: OtherData) => readonly OtherSubgraph[],
  env: Readonly<Record<string, string>> = {},
): Promise<Rig> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(PROGRAMS, '.run-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const simulator = await startSimulator(service);
    stops.push(() => simulator.close());
    const subgraph = startGuarded(process.execPath, ['src/main.ts'], {
      env: { PORT: '0', DATASET_SERVICE_URL: simulator.url, LOG_LEVEL: 'warn', ...settings, ...env },
    });
    stops.push(subgraph.stop);
    const subgraphUrl = await endpointOf(subgraph);
    const querySubgraph: Rig['querySubgraph'] = (document, request) =>
      queryAt(subgraphUrl, document, { ...request, headers: { 'router-authorization': SECRET } });
    const { body } = await querySubgraph('{ _service { sdl } }');
    const { sdl } = body.data._service;
    const schemaFile = join(folder, 'dataset.graphql');
    await writeFile(schemaFile, sdl);
    const running = [{ name: 'dataset', url: subgraphUrl.href, typeDefs: parse(sdl), schemaFile }];
    const data = emptyData();
    for (const other of subgraphsOf(data)) {
      const { url, typeDefs, stop } = await startOther(other);
      stops.push(stop);
      const schemaFile = join(folder, `${other.name}.graphql`);
      await writeFile(schemaFile, other.sdl);
      running.push({ name: other.name, url, typeDefs, schemaFile });
    }
    const file = join(folder, 'supergraph.graphql');
    await writeFile(file, composeSupergraph(running));
    const { program, url } = await startGateway(gateway, { file, subgraphs: running, folder });
    stops.push(program.stop);
    return {
      gateway,
      gatewayEnded: program.ended,
      simulator,
      others: data,
      url,
      query: (document, request) => queryAt(url, document, request),
      querySubgraph,
      calls: () => simulator.requests.map(describeCall),
      reset: () => {
        simulator.clear();
        simulator.intercept(undefined);
        for (const some of Object.values(data)) some.clear();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const START_MS = 60_000;

/** Starts a gateway on a free port, and waits until it responds. */
async function startGateway(gateway: Gateway, supergraph: Supergraph): Promise<{ program: GuardedProgram; url: URL }> {
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/graphql`);
  const program = gateway.start(supergraph, port);
  const late = AbortSignal.timeout(START_MS);
  const ended = program.ended.then(({ code, stdout, stderr }) => {
    throw new Error(`${gateway.name} exited with code ${code}.\n${stdout}\n${stderr}`);
  });
  ended.catch(() => {});
  try {
    await Promise.race([ended, untilReady(url, late)]);
    return { program, url };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

/** Waits until a gateway responds. */
async function untilReady(url: URL, late: AbortSignal): Promise<void> {
  for (;;) {
    const response = await queryAt(url, '{ __typename }', { signal: late }).catch(() => undefined);
    if (response?.status === 200) return;
    await setTimeout(50, undefined, { signal: late });
  }
}
