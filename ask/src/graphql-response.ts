import * as z from 'zod';
import type { RootFields } from '../../src/core/root-fields.ts';
import { exitCodeOf, requestIdOf, responseFailure, type Subgraph, send } from './client.ts';
import { type ExitCode, exitCode, Failure } from './failure.ts';
import { JsonError, JsonView } from './json-view.ts';
import { startProgress } from './progress.ts';
import { type Question, requestOf } from './question.ts';

/** How to ask. */
interface AskContext {
  readonly rootFields: RootFields;
  readonly signal: AbortSignal;
  readonly unicode: boolean;
}

/** A GraphQL response. */
export interface GraphQLResponse {
  /** The value of `data`; undefined if it is null or missing. */
  readonly data: JsonView | undefined;
  /** The dataset; undefined if it is null or missing. */
  readonly dataset: JsonView | undefined;
  /** A message for each distinct error, with its code, request id and path. */
  readonly errors: readonly string[];
  /** The exit code if nothing can be shown: that of the first error, or `notFound` without errors. */
  readonly failure: ExitCode;
}

/** Reads what it can of each error, because gateways add and omit members. */
const errorList = z.array(
  z.object({
    message: z.string(),
    path: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .catch(undefined),
    extensions: z
      .object({
        code: z.string().optional().catch(undefined),
        rest: z.object({ requestId: z.string() }).optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
);

/**
 * Sends the GraphQL request and receives the whole response.
 *
 * @throws Failure when there is no GraphQL response
 */
export async function askGraphQL(
  subgraph: Subgraph,
  question: Question,
  { rootFields, signal, unicode }: AskContext,
): Promise<GraphQLResponse> {
  const progress = await startProgress(unicode);
  try {
    const response = await send(subgraph, { method: 'POST', body: requestOf(question, rootFields) }, signal);
    if (response.status !== 200) throw await responseFailure(response);
    progress.receive('Receiving', response.length);
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) {
      chunks.push(chunk);
      progress.add(chunk.length);
    }
    return readResponse(Buffer.concat(chunks), rootFields, requestIdOf(response.headers));
  } finally {
    progress.stop();
  }
}

function readResponse(bytes: Buffer, { dataset }: RootFields, requestId: string | undefined): GraphQLResponse {
  try {
    const members = new Map(new JsonView(bytes).members());
    const errors = errorList.parse(members.get('errors')?.parse() ?? []);
    const data = present(members.get('data'));
    if (data === undefined && errors.length === 0) throw new JsonError();
    return {
      data,
      dataset: present(data?.member(dataset)),
      errors: messagesOf(errors, requestId),
      failure: errors.length === 0 ? exitCode.notFound : exitCodeOf(errors[0]?.extensions?.code),
    };
  } catch (error) {
    if (error instanceof JsonError || error instanceof z.ZodError) throw unreadable();
    throw error;
  }
}

/**
 * A message for each distinct error of a response.
 *
 * @param errors the member `errors`
 * @throws JsonError or ZodError when it is none of GraphQL
 */
export function readErrors(errors: JsonView | undefined, requestId: string | undefined): string[] {
  return messagesOf(errorList.parse(errors?.parse() ?? []), requestId);
}

/** The failure for a response that does not match the schema. */
export function unreadable(): Failure {
  return new Failure(
    exitCode.failed,
    'The response is not from a dataset subgraph; --url must be its GraphQL endpoint.',
  );
}

function present(view: JsonView | undefined): JsonView | undefined {
  return view === undefined || view.bytes.equals(NULL) ? undefined : view;
}

const NULL = Buffer.from('null');

/** One message for all errors with the same text: a failed REST call is reported at every field. */
function messagesOf(errors: z.output<typeof errorList>, requestId: string | undefined): string[] {
  const groups = Map.groupBy(errors, ({ message, extensions }) => {
    const id = extensions?.rest?.requestId ?? requestId;
    const details = [...(extensions?.code ? [extensions.code] : []), ...(id ? [`request ${id}`] : [])];
    return `${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
  });
  return [...groups].map(([message, [first, ...others]]) => {
    const path = first?.path?.join('.');
    if (path === undefined) return message;
    return `${message} At ${path}${others.length === 0 ? '' : ` and ${others.length} more`}.`;
  });
}
