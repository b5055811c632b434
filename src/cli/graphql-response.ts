import * as z from 'zod';
import { exitCodeOf, refusalOf, requestIdOf, type Subgraph, send } from './client.ts';
import { type ExitCode, exitCode, Failure } from './failure.ts';
import { JsonError, JsonView } from './json-view.ts';
import { startProgress } from './progress.ts';
import { type Question, requestOf } from './question.ts';

/** An answer of GraphQL. */
export interface GraphQLResponse {
  /** The value of `data`; undefined where it is null or not there. */
  readonly data: JsonView | undefined;
  /** The dataset; undefined where it is null or not there. */
  readonly dataset: JsonView | undefined;
  /** A sentence for each thing that went wrong, with its code and where to look for it. */
  readonly errors: readonly string[];
  /** The exit code of the first error, where nothing can be shown; that of a failure where there is no error. */
  readonly failure: ExitCode;
}

/** Of an error whatever can be read: gateways add to it, and leave out. */
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
 * Asks a question, and waits for the whole answer.
 *
 * @throws Failure when there is no answer of GraphQL
 */
export async function askGraphQL(
  subgraph: Subgraph,
  question: Question,
  { signal, unicode }: { signal: AbortSignal; unicode: boolean },
): Promise<GraphQLResponse> {
  const response = await send(subgraph, { method: 'POST', body: requestOf(question) }, signal);
  if (response.status !== 200) throw await refusalOf(response);
  const progress = await startProgress('Receiving', response.length, unicode);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      progress.add(chunk.length);
    }
  } finally {
    progress.stop();
  }
  return readResponse(Buffer.concat(chunks), requestIdOf(response.headers));
}

/** Private. */
function readResponse(bytes: Buffer, requestId: string | undefined): GraphQLResponse {
  try {
    const members = new Map(new JsonView(bytes).members());
    const errors = errorList.parse(members.get('errors')?.parse() ?? []);
    const data = present(members.get('data'));
    if (data === undefined && errors.length === 0) throw new JsonError();
    return {
      data,
      dataset: present(data?.member('dataset')),
      errors: sentences(errors, requestId),
      failure: errors.length === 0 ? exitCode.notFound : exitCodeOf(errors[0]?.extensions?.code),
    };
  } catch (error) {
    if (error instanceof JsonError || error instanceof z.ZodError) throw unreadable();
    throw error;
  }
}

/** What ends the command when an answer is none of the schema. */
export function unreadable(): Failure {
  return new Failure(
    exitCode.failed,
    'The answer is none of a dataset subgraph; --url must be where GraphQL is served.',
  );
}

function present(view: JsonView | undefined): JsonView | undefined {
  return view === undefined || view.bytes.equals(NULL) ? undefined : view;
}

const NULL = Buffer.from('null');

/** Private. One sentence for all errors that say the same: a REST call that fails is reported at every field. */
function sentences(errors: z.output<typeof errorList>, requestId: string | undefined): string[] {
  const groups = Map.groupBy(errors, ({ message, extensions }) => {
    const id = extensions?.rest?.requestId ?? requestId;
    const details = [...(extensions?.code ? [extensions.code] : []), ...(id ? [`request ${id}`] : [])];
    return `${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
  });
  return [...groups].map(([sentence, [first, ...others]]) => {
    const path = first?.path?.join('.');
    if (path === undefined) return sentence;
    return `${sentence} At ${path}${others.length === 0 ? '' : ` and ${others.length} more`}.`;
  });
}
