import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import {
  type SimulatedDataset,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../simulator/src/simulator.ts';

export const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

export function row(valueDate: string, value: number) {
  return { value_date: valueDate, metrics: [{ name: 'height', value }] };
}

export const oak = { asset_id: 'oak', asset_version: 1, results: [row('2024-01-01', 1), row('2024-01-02', 2)] };
export const olderOak = { asset_id: 'oak', asset_version: 0, results: [row('2023-12-31', 0)] };
export const elm = { asset_id: 'elm', asset_version: 1, results: [row('2024-01-02', 3), row('2024-01-03', 4)] };

export const trees: SimulatedDataset = {
  metadata: { id: 'trees', name: 'Trees', asset_count: 2, sharedOption: 'OWNED', description: null },
  results: { processing_id: 'growth', source_id: 'survey', assets: [oak, olderOak, elm] },
  file: { name: 'trees.csv', contentType: 'text/csv', bytes: Buffer.from('tree,height\noak,2\n') },
};
export const secret: SimulatedDataset = { metadata: { id: 'secret' }, readers: ['token-b'] };

export async function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    accounts: [
      { email: 'a@example.com', password: 'pass-a', token: 'token-a' },
      { email: 'b@example.com', password: 'pass-b', token: 'token-b' },
    ],
    datasets: [trees, secret],
    ...options,
  });
  onTestFinished(() => simulator.close());
  return simulator;
}

export const metadataPath = (id: string) => `/v1/collection/dataset/summary/${id}`;
export const downloadPath = (id: string) => `/v1/collection/staticdataset/${id}/download`;
export const resultsPath = (id: string) => `/v1/processingresult/dataset/${id}`;

export const bearer = { authorization: 'Bearer token-a' };
export const json = { 'content-type': 'application/json' };

export function get(simulator: Simulator, path: string, headers: Record<string, string> = bearer): Promise<Response> {
  return fetch(simulator.url + path, { headers });
}

export function post(simulator: Simulator, path: string, body: string, headers: Record<string, string> = {}) {
  return fetch(simulator.url + path, { method: 'POST', headers: { ...bearer, ...json, ...headers }, body });
}

export async function bodyOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** For what fetch would tidy up: the target, repeated headers, and connections in pieces. */
export function open(
  simulator: Simulator,
  target: string,
  { method = 'GET', headers = {} as Record<string, string | string[]> } = {},
): ClientRequest {
  const { hostname, port } = new URL(simulator.url);
  const client = httpRequest({ hostname, port, path: target, method, headers, agent: false });
  // A test that drops its connection is told so here; the tests look at what the simulator made of it.
  client.on('error', () => {});
  return client;
}

export function responseTo(client: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    client.once('response', resolve);
    client.once('error', reject);
  });
}

export async function expectRefusal(response: Response, status: number, label: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ status, error: label, message: expect.any(String) });
}

export function recordedBy(simulator: Simulator) {
  const recorded = simulator.requests.at(-1);
  if (recorded === undefined) {
    throw new Error('Nothing was recorded.');
  }
  return recorded;
}
