import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { DATASET_ID, TOKEN } from '../../test/support/harness.ts';
import { PROJECT, type Program, startProgram } from '../../test/support/process.ts';
import { runCommand } from './ask.ts';

/** The revisions of MCP that clients speak: that of 2025 with its handshake, and that of 2026 without one. */
export const revisions = ['legacy', { pin: '2026-07-28' }] as const;

export type Revision = (typeof revisions)[number];

/** The subgraph of a test bed. */
type Served = { readonly subgraph: { readonly url: string } };

/** How a client connects. */
interface McpSetup {
  /** Null for none. Default: that of the test bed. */
  token?: string | null;
  revision?: Revision;
  env?: Record<string, string>;
}

/** The tools, in their order, with arguments for the dataset of the test bed. */
export const toolArguments: Record<string, Record<string, unknown>> = {
  Metadata: { id: DATASET_ID },
  DatasetNames: { ids: [DATASET_ID] },
  Outline: { id: DATASET_ID },
  AssetPage: { id: DATASET_ID, first: 2, timeRange: { start: '2024-01' } },
  MetricStatistics: { id: DATASET_ID, metrics: ['moisture'] },
  LatestValues: { id: DATASET_ID, assetIds: ['a', 'b'] },
  Periods: { id: DATASET_ID, every: 'DAY' },
  ByDate: { id: DATASET_ID, quantiles: [0.5] },
  ReducedColumns: { id: DATASET_ID, points: 2 },
  OneAsset: { id: DATASET_ID, assetId: 'b' },
  Columns: { id: DATASET_ID, timeRange: { start: 1_704_067_200_000, stop: '2024-01-02' } },
  SeveralDatasets: { ids: [DATASET_ID], metricNames: ['temperature'] },
};

/** Connects a client to `dataset-subgraph mcp`, which it starts. Both end with the test. */
export async function connect(served: Served | string, setup: McpSetup = {}): Promise<Client> {
  const { token = TOKEN, env } = setup;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${PROJECT}ask/cli.ts`, 'mcp'],
    env: { ...environment(served), ...(token !== null && { DATASET_TOKEN: token }), ...env },
  });
  return connected(transport, setup.revision);
}

/** Starts `dataset-subgraph mcp` over HTTP, at any free port, with this token in its environment, as a process of its own. */
export async function startMcp(served: Served): Promise<{ program: Program; url: URL }> {
  const program = mcp(['--http', '0'], { ...environment(served), DATASET_TOKEN: TOKEN });
  const [, url = ''] = await program.printed(ENDPOINT);
  return { program, url: new URL(url) };
}

/** The same in the process that all tests share. */
export async function serveMcp(
  served: Served | string,
  { args = [], env }: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<URL> {
  const all = { ...environment(served), DATASET_TOKEN: TOKEN, ...env };
  const { stdout } = await runCommand(['mcp', '--http', '0', ...args], { env: all });
  const [, url = ''] = ENDPOINT.exec(stdout) ?? [];
  return new URL(url);
}

const ENDPOINT = /^MCP endpoint: (\S+)\n/m;

/** Connects a client to a server in that process. */
export async function connectShared(served: Served, env?: Record<string, string>): Promise<Client> {
  return connectHttp(await serveMcp(served, { ...(env !== undefined && { env }) }));
}

/** Connects a client over HTTP. It ends with the test. */
export function connectHttp(url: URL, { token = TOKEN, revision }: McpSetup = {}): Promise<Client> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), revision);
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  revision: Revision = 'legacy',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: revision } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** Runs `dataset-subgraph mcp`. */
export function mcp(args: string[], env: Record<string, string> = {}): Program {
  return startProgram(process.execPath, [`${PROJECT}ask/cli.ts`, 'mcp', ...args], { env });
}

export function environment(served: Served | string): Record<string, string> {
  return { DATASET_SUBGRAPH_URL: typeof served === 'string' ? served : served.subgraph.url };
}

/** The texts of a result, with a placeholder for the id of a request. */
export function textsOf({ content }: { content: unknown }): string[] {
  return (content as { text: string }[]).map(({ text }) => text.replaceAll(/request [\w-]+/g, 'request ID'));
}

/** A call as a client writes it, without a handshake before it. */
export function callMessage(name: string, variables: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: variables } });
}
