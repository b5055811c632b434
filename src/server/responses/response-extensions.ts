import type { FastifyRequest } from 'fastify';
import type { OperationContext } from '../../graphql/context.ts';
import type { RestSession } from '../../rest/session.ts';
import type { ResponseCaching } from './response-caching.ts';

/** The request header that asks for the plan of the operation, and the one that asks for its REST calls. */
const PLAN_HEADER = 'operation-plan';
const CALLS_HEADER = 'rest-calls';
/** The value of both. */
const INCLUDED = 'include';
/** The most lines of a plan. */
const MAX_PLAN_LINES = 1000;

/** What a request can ask for. */
export interface ExtensionOptions {
  /** The plan of its operation. */
  readonly printsPlans: boolean;
  /** Its REST calls. */
  readonly listsCalls: boolean;
}

/** The operation that the extensions are about. */
export interface ExtendedOperation extends Pick<OperationContext, 'plan' | 'loaders'> {
  readonly session: RestSession;
  readonly caching: ResponseCaching | undefined;
}

/** Makes what returns the map `extensions` of a response, when its data is written. */
export function extensionsOf(
  { headers, observation }: FastifyRequest,
  { printsPlans, listsCalls }: ExtensionOptions,
  { plan, loaders, session, caching }: ExtendedOperation,
): OperationContext['extensions'] {
  const printsPlan = printsPlans && headers[PLAN_HEADER] === INCLUDED;
  const listsOwnCalls = listsCalls && headers[CALLS_HEADER] === INCLUDED;
  if (printsPlan || listsOwnCalls) caching?.preventReuse();
  if (listsOwnCalls) observation.listCalls();
  return () => {
    const tags = observation.hasErrors ? undefined : caching?.tags;
    const { staleMs } = session;
    if (staleMs === undefined && !printsPlan && !listsOwnCalls) return tags;
    return {
      ...tags,
      ...(staleMs !== undefined && { stale: { ageSeconds: Math.ceil(staleMs / 1000) } }),
      ...(printsPlan && {
        plan: { fields: linesOf(plan.print()), calls: linesOf(loaders.print()) },
      }),
      ...(listsOwnCalls && { restCalls: observation.listedCalls }),
    };
  };
}

function linesOf(text: Generator<string>): string[] {
  const lines = [...text.take(MAX_PLAN_LINES + 1)];
  return lines.length > MAX_PLAN_LINES ? [...lines.slice(0, MAX_PLAN_LINES), '...'] : lines;
}
