import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { start } from '../../test/support/harness.ts';

export const { weather, co2 } = demoDatasetIds;
export const JULY = ['--from', '2015-07-01', '--to', '2015-07-03'];

export const startDemo = async (env: Record<string, string> = {}) => start({ ...(await loadDemoData()), env });

/** A server in the place of a subgraph, for answers that none would give. Ends with the test. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

/** A subgraph that answers each request with this body. */
export const answering = (body: string, status = 200) =>
  serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });

export const complete = (stdout: string) => ({ code: 0, signal: null, stdout, stderr: '' });
