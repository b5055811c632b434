import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { start } from '../../test/support/harness.ts';

export const { weather, co2, earthquakes } = demoDatasetIds;
export const JULY = ['--from', '2015-07-01', '--to', '2015-07-03'];

/** What the test bed of the harness takes. */
export const TEST_TOKEN = { token: 'token-of-anna' };

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

/** An empty directory to save files in. It lasts as long as the test. */
export async function emptyDirectory() {
  const cwd = await mkdtemp(join(tmpdir(), 'ask-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  return { cwd, files: () => readdir(cwd) };
}

/** Says on standard error when a signal no longer ends the program by itself. */
export const SAYS_READY = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent("process.on('newListener', (name) => name === 'SIGTERM' && console.error('ready'))")}`,
};

export const complete = (stdout: string) => ({ code: 0, signal: null, stdout, stderr: '' });

export const failed = (code: number, sentence: string) => ({
  code,
  signal: null,
  stdout: '',
  stderr: `dataset-subgraph: ${sentence}\n`,
});
