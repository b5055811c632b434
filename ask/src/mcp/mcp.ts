import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { packageVersion } from '../../../src/core/package.ts';
import { createSchema } from '../../../src/graphql/schema/executable-schema.ts';
import { stopOnSignal } from '../../../src/run.ts';
import { endpointOf, type Subgraph } from '../client.ts';
import type { AskSettings } from '../settings.ts';
import { startMcpHttp } from './mcp-http.ts';
import { createTools, type McpTool } from './mcp-tools.ts';
import { callTool, MAX_RESULT_BYTES } from './tool-result.ts';

/** The command-line options of `mcp`. */
export interface McpOptions {
  readonly url?: URL;
  /** The port of streamable HTTP; absent for stdio. */
  readonly http?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
}

/** A message over stdio is a call with its variables. */
const MAX_MESSAGE_BYTES = 1_048_576;

const instructions = `\
Datasets of satellite and sensor results. A dataset has assets, which are places, and each asset has rows: a date, and a \
value for each metric. There is no list of datasets: ask the user for the id of one. Outline has the ids of the assets and \
the names of the metrics. Prefer MetricStatistics, Periods and ByDate to single values. Integers of 64 bits are strings of \
digits. A response of more than ${MAX_RESULT_BYTES / 1000} kB is cut off, and says how to ask for less.`;

/** Standard input and output. A message that is too long closes them, too. */
class StandardStreams extends StdioServerTransport {
  override async close(): Promise<void> {
    await super.close();
    // Paused, it would keep the process alive.
    process.stdin.destroy();
  }
}

/** Runs `mcp`: over stdio until standard input ends, or over HTTP until a signal. */
export async function serveMcp(options: McpOptions, settings: AskSettings): Promise<void> {
  const url = endpointOf(options.url ?? settings.DATASET_SUBGRAPH_URL);
  const tools = createTools(createSchema(settings.SCHEMA_NAMES));
  if (options.http === undefined) {
    const transport = new StandardStreams(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
    const connection = serveStdio(() => createServer(tools, { url, token: settings.DATASET_TOKEN }), {
      transport,
      maxSubscriptions: 0,
    });
    stopOnSignal({ stop: () => connection.close() });
    return;
  }
  const { host = '127.0.0.1', allowHost = [] } = options;
  // Not DATASET_TOKEN: whoever reaches the port could use it.
  const server = await startMcpHttp({ host, port: options.http, allowHost }, (token) =>
    createServer(tools, { url, token }),
  );
  stopOnSignal(server);
  process.stdout.write(`MCP endpoint: ${server.url}\n`);
}

/** An MCP server for one client. */
function createServer(tools: readonly McpTool[], subgraph: Subgraph): McpServer {
  const server = new McpServer(
    { name: 'dataset-subgraph', title: 'Datasets', version: packageVersion },
    { instructions, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of tools) {
    const { name, title, description, inputSchema } = tool;
    const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema, annotations }, (variables, { mcpReq }) =>
      callTool(tool, variables, subgraph, mcpReq.signal),
    );
  }
  return server;
}
