import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import { onTestFinished } from 'vitest';
import {
  type RecordedRequest,
  type SimulatedAccount,
  type SimulatedDataset,
  type Simulator,
  startSimulator,
} from '../../simulator/src/simulator.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { type Subgraph, startSubgraph } from '../../src/server/app.ts';

/** The token of the account that `start` makes, unless others are given. */
export const TOKEN = 'token-of-anna';

/** The id of the dataset that `start` makes, unless others are given. */
export const DATASET_ID = '11111111-1111-4111-8111-111111111111';

/** A dataset of three assets with two metrics over three days; nothing of it is left out. */
export const dataset: SimulatedDataset = {
  metadata: {
    id: DATASET_ID,
    name: 'Soil moisture',
    description: 'Weekly soil moisture of three fields',
    asset_count: 3,
    attributionText: 'Example agency',
    attributionFile: 'attribution.txt',
    sharedOption: 'SHARED',
    processing_id: 'p-1',
    processing_name: 'Moisture model',
    source_id: 's-1',
    source_name: 'Radar',
    start_date: 1_704_067_200_000,
    stop_date: 1_704_326_400_000,
  },
  results: { processing_id: 'p-1', source_id: 's-1', assets: ['a', 'b', 'c'].map(assetResult) },
  file: { name: 'moisture.csv', contentType: 'text/csv', bytes: Buffer.from('date,value\n') },
};

/** All its metadata, as a response has them. */
export const metadataResponse = {
  name: 'Soil moisture',
  description: 'Weekly soil moisture of three fields',
  assetCount: 3,
  attributionText: 'Example agency',
  attributionFile: 'attribution.txt',
  sharing: 'SHARED',
  processing: { id: 'p-1', name: 'Moisture model' },
  source: { id: 's-1', name: 'Radar' },
  startDate: '1704067200000',
  stopDate: '1704326400000',
  startDateTime: '2024-01-01T00:00:00.000Z',
  stopDateTime: '2024-01-04T00:00:00.000Z',
};

/** An asset's entry of a results answer, as the REST service sends it. */
export function assetResult(assetId: string) {
  return {
    asset_id: assetId,
    asset_name: `Field ${assetId}`,
    asset_version: 1,
    asset_categories: ['field'],
    asset_centroid_latitude: 45.5,
    asset_centroid_longitude: 7.25,
    asset_surface_area_m2: 1200.5,
    parent_asset_id: 'farm',
    parent_asset_name: 'Farm',
    parent_asset_version: 2,
    results: ['2024-01-01', '2024-01-02', '2024-01-03'].map((value_date, day) => ({
      value_date,
      metrics: [
        { name: 'moisture', value: 0.5 + day },
        { name: 'temperature', value: -1.5 - day },
      ],
    })),
  };
}

/** What `start` starts; everything has a default. */
export interface Setup {
  /** Settings of the subgraph. */
  env?: Record<string, string>;
  /** `RESULTS_HOLD_BYTES`, also below its minimum, so that small bodies pass. */
  holdBytes?: number;
  accounts?: SimulatedAccount[];
  datasets?: SimulatedDataset[];
  /** {base_url}, where it is not the simulator's. */
  serviceUrl?: string;
  /** The schema, where it is not one that other tests use too. */
  makeSchema?: () => GraphQLSchema;
}

/** How one GraphQL request is made. */
export interface Request {
  variables?: Record<string, unknown>;
  operationName?: string;
  /** The bearer token; null for none. Default: `TOKEN`. */
  token?: string | null;
  headers?: Record<string, string | string[]>;
  signal?: AbortSignal;
}

/** An answer over HTTP. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body, parsed; undefined where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies, whatever their shape
  body: any;
}

/** A subgraph before a simulated REST service, both on free ports of the loopback host, for one test. */
export interface TestBed {
  simulator: Simulator;
  subgraph: Subgraph;
  /** What the subgraph has logged, a line each. */
  log: string[];
  /** Queries the subgraph. */
  query(document: string, request?: Request): Promise<Answer>;
  /** Sends anything to the subgraph. */
  http(path: string, options?: HttpOptions): Promise<Answer>;
  /** The REST calls so far as `METHOD target body`, in order of arrival. */
  calls(): string[];
  /** The bodies of the results calls made so far. */
  filters(): unknown[];
}

export interface HttpOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
}

/** Starts the REST service alone, for a subgraph that runs as a process; ends it with the test. */
export async function startService(setup: Pick<Setup, 'accounts' | 'datasets'> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    accounts: setup.accounts ?? [{ email: 'anna@example.com', password: 'secret', token: TOKEN }],
    datasets: setup.datasets ?? [dataset],
  });
  onTestFinished(() => simulator.close());
  return simulator;
}

const schemas = new Map<string, GraphQLSchema>();
/** The schema, made once for all tests of a file: that takes as long as all the rest of a start. */
function schemaOf({ SCHEMA_NAMES, DATE_UNIT }: Config): GraphQLSchema {
  const key = JSON.stringify([DATE_UNIT, ...(SCHEMA_NAMES ?? [])]);
  const schema = schemas.get(key) ?? createSchema(SCHEMA_NAMES, DATE_UNIT);
  schemas.set(key, schema);
  return schema;
}

/** Starts both, and ends them with the test. */
export async function start(setup: Setup = {}): Promise<TestBed> {
  const simulator = await startService(setup);
  const log: string[] = [];
  const config = readConfig({ PORT: '0', ...setup.env });
  if (setup.holdBytes !== undefined) config.RESULTS_HOLD_BYTES = setup.holdBytes;
  const subgraph = await startSubgraph({
    config,
    serviceUrl: new URL(setup.serviceUrl ?? simulator.url),
    corsOrigins: config.CORS_ORIGINS ?? [],
    logStream: { write: (line) => void log.push(line) },
    ...(config.FEDERATED_TRACING === 'off' && { makeSchema: () => schemaOf(config) }),
    ...(setup.makeSchema && { makeSchema: setup.makeSchema }),
  });
  // Before the simulator, which ends what is left of a test that has failed.
  onTestFinished(() => subgraph.stop());
  return {
    simulator,
    subgraph,
    log,
    http: (path, options = {}) => send(new URL(path, subgraph.url), options),
    query: async (document, request) => {
      if (asksBefore(config)) await askBefore(new URL(subgraph.url), document, request);
      return queryAt(new URL(subgraph.url), document, request);
    },
    calls: () => simulator.requests.map(describeCall),
    filters: () =>
      simulator.requests
        .filter(({ operation }) => operation === 'getDatasetResults')
        .map(({ body }) => JSON.parse(body)),
  };
}

/** The same text so many times, each with its number, and spaces between them. */
export function times(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join(' ');
}

/** A query of one dataset, that of `DATASET_ID` unless the variable `id` says another. */
export function ofDataset(selection: string): string {
  return `query ($id: ID! = "${DATASET_ID}") { dataset(id: $id) { ${selection} } }`;
}

/** A query of one metadata call, and its response. */
export const NAME = ofDataset('name');
export const named = { data: { dataset: { name: 'Soil moisture' } } };

/** A query of the entities that the variable `references` names. */
export function ofEntities(selection: string): string {
  return `query ($references: [_Any!]!) { _entities(representations: $references) { ${selection} } }`;
}

/** A reference to a dataset, as a router sends it. */
export function datasetReference(id = DATASET_ID) {
  return { __typename: 'Dataset', id };
}

/** A reference to an asset, as a router sends it. */
export function assetReference(assetId: string, datasetId = DATASET_ID) {
  return { __typename: 'Asset', datasetId, assetId };
}

/** A metadata call, as `calls` shows it. */
export function getSummary(datasetId = DATASET_ID): string {
  return `GET /v1/collection/dataset/summary/${datasetId}`;
}

/** A results call, as `calls` shows it. */
export function postResults(filter: object, datasetId = DATASET_ID): string {
  return `POST /v1/processingresult/dataset/${datasetId} ${JSON.stringify(filter)}`;
}

/** The data of an answer, and of each error its path and code; errors in the order of their paths. */
export function outline({ body }: Answer): { data: unknown; errors: string[] } {
  const { data, errors = [], ...others } = body;
  const lines = errors.map((error: { path?: unknown[]; extensions: { code: string } }) =>
    [...(error.path ? [error.path.join('.')] : []), error.extensions.code].join(' '),
  );
  return { data, errors: lines.toSorted(), ...others };
}

/**
 * Whether each document is asked for once before its test asks, so that the subgraph knows it (ASKED_BEFORE=on). Not where
 * a test looks at every request: at metrics, traces, or a line for each operation.
 */
function asksBefore(config: Config): boolean {
  const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, LOG_OPERATIONS } = config;
  const isTraced = (OTEL_EXPORTER_OTLP_ENDPOINT ?? OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined;
  return process.env.ASKED_BEFORE === 'on' && METRICS_PORT === undefined && !isTraced && LOG_OPERATIONS === 'off';
}

/**
 * Asks for a document without a REST call: for an operation that it does not have. Then Apollo Server does not execute it.
 */
async function askBefore(url: URL, document: string, { headers = {} }: Request = {}): Promise<void> {
  await queryAt(url, '{ __typename }', { headers, token: null });
  await queryAt(url, document, { headers, token: null, operationName: 'none of them' });
}

/** Queries the endpoint at a URL. */
export function queryAt(url: URL, document: string, request: Request = {}): Promise<Answer> {
  const { variables, operationName, token = TOKEN, headers = {}, signal } = request;
  return send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ query: document, variables, operationName }),
    ...(signal && { signal }),
  });
}

/** One HTTP request, with exactly these headers; an array sends a header several times. */
export function send(url: URL, { method = 'GET', headers = {}, body, signal }: HttpOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, ...(signal && { signal }), agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The URL of a service that speaks in raw bytes, for answers that no HTTP server would send. Ends with the test. */
export async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A promise and what settles it, for tests that hold an answer back. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Sends these bodies as the answers of the two operations, a text as it is; what is absent stays as specified. */
export function respondWith(simulator: Simulator, bodies: { metadata?: unknown; results?: unknown }): void {
  simulator.intercept(({ operation }) => {
    const body = operation === 'getDatasetMetadata' ? bodies.metadata : bodies.results;
    return body === undefined ? undefined : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  });
}

/** A REST call as `calls` shows it. */
export function describeCall({ method, target, body }: RecordedRequest): string {
  return `${method} ${target}${body === '' ? '' : ` ${body}`}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
