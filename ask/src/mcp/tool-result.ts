import type { CallToolResult } from '@modelcontextprotocol/server';
import { ZodError } from 'zod';
import { requestIdOf, responseFailure, type Subgraph, send } from '../client.ts';
import { Failure } from '../failure.ts';
import { readErrors, unreadable } from '../graphql-response.ts';
import { JsonError, JsonView } from '../json-view.ts';
import type { McpTool } from './mcp-tools.ts';

/** The maximum number of bytes of a response that a model gets: about 40,000 tokens of numbers. */
export const MAX_RESULT_BYTES = 100_000;

/** How a client asks for less, by the variable that it changes. */
const lessBy: Readonly<Record<string, string>> = {
  ids: 'fewer ids',
  assetIds: 'fewer assetIds',
  metrics: 'fewer metrics',
  metricNames: 'fewer metricNames',
  timeRange: 'a shorter timeRange',
  range: 'a shorter range',
  every: 'longer periods',
  quantiles: 'fewer quantiles',
  points: 'fewer points',
  first: 'a smaller first',
};

/**
 * Sends the operation of a tool to the subgraph. A failure is a result, too, so that the model can read it.
 *
 * @param variables valid ones
 */
export async function callTool(
  tool: McpTool,
  variables: Readonly<Record<string, unknown>>,
  subgraph: Subgraph,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const body = JSON.stringify({ query: tool.query, operationName: tool.name, variables });
    const response = await send(subgraph, { method: 'POST', body }, signal);
    if (response.status !== 200) throw await responseFailure(response);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop ends the request: the subgraph reads no more for it.
      if (length > MAX_RESULT_BYTES) return cutOff(tool, Buffer.concat(chunks));
    }
    return resultOf(Buffer.concat(chunks), requestIdOf(response.headers));
  } catch (error) {
    const failure = error instanceof JsonError || error instanceof ZodError ? unreadable() : error;
    if (failure instanceof Failure) return { content: [text(failure.message)], isError: true };
    throw failure;
  }
}

/** The result of a whole response. The text has `data` byte for byte, so that each number keeps its digits. */
function resultOf(bytes: Buffer, requestId: string | undefined): CallToolResult {
  const members = new Map(new JsonView(bytes).members());
  const errors = readErrors(members.get('errors'), requestId);
  const json = (members.get('data')?.bytes ?? Buffer.from('null')).toString();
  const data = parseExactly(json);
  if (errors.length === 0) {
    if (data === null) throw new JsonError();
    return { content: [text(json)], structuredContent: data };
  }
  return { content: [text(errors.join('\n')), ...(hasValue(data) ? [text(json)] : [])], isError: true };
}

/** Whether something of a JSON value is not null. */
function hasValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(hasValue) : value !== null;
}

/** The beginning of a response that is too long. Half a JSON text cannot be parsed, so there is no structured content. */
function cutOff({ variables }: McpTool, bytes: Buffer): CallToolResult {
  const ways = variables.flatMap((name) => lessBy[name] ?? []);
  const less = [...ways, 'a tool with a smaller response, such as AssetPage, MetricStatistics or Periods'].join(
    ', or ',
  );
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_RESULT_BYTES), { stream: true });
  return {
    content: [
      text(
        `The response is longer than ${MAX_RESULT_BYTES / 1000} kB. It was cut off, and what follows is incomplete. Ask for ` +
          `less: ${less}.`,
      ),
      text(start),
    ],
  };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

/** What TypeScript 7 does not declare yet: https://github.com/tc39/proposal-json-parse-with-source. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Parses data so that JSON.stringify writes each number as it was received. */
function parseExactly(json: string): Record<string, unknown> | null {
  return JSON.parse(json, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? rawJSON(context.source)
      : value,
  );
}
