import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { RestSession } from '../../rest/session.ts';
import type { CallList } from '../../telemetry/telemetry.ts';
import type { ResponseCaching } from './router-cache.ts';

/** The request header that asks for the plan of the operation, and the one that asks for its REST calls. */
const PLAN_HEADER = 'operation-plan';
const CALLS_HEADER = 'rest-calls';
/** The value of both. */
const INCLUDED = 'include';
/** The most lines of a plan. */
const MAX_PLAN_LINES = 1000;

/** What responses may have as extensions: what a request asks for, tags, and the age of stale data. */
export interface ExtensionOptions {
  /** The plan of its operation. */
  readonly printsPlans: boolean;
  /** Its REST calls. */
  readonly listsCalls: boolean;
}

/** The operation that the extensions are about. */
export interface ExtendedOperation extends Pick<OperationContext, 'plan' | 'loaders' | 'response'> {
  readonly session: RestSession;
  readonly caching: ResponseCaching | undefined;
  /** Undefined unless the request asks for its calls. */
  readonly calls: CallList | undefined;
}

/**
 * Undefined if no response has any.
 *
 * @param listsCalls whether a request may ask for its REST calls
 * @param isReusable whether a router or a browser may reuse responses
 */
export function extensionOptionsOf(
  { OPERATION_PLAN, CACHE }: Config,
  listsCalls: boolean,
  isReusable: boolean,
): ExtensionOptions | undefined {
  const printsPlans = OPERATION_PLAN === 'on';
  return printsPlans || listsCalls || isReusable || CACHE === 'memory' ? { printsPlans, listsCalls } : undefined;
}

/** Whether a request asks for its REST calls. */
export function asksForCalls({ headers }: FastifyRequest): boolean {
  return headers[CALLS_HEADER] === INCLUDED;
}

/** Makes what returns the map `extensions` of a response, when its data is written. */
export function extensionsOf(
  { headers }: FastifyRequest,
  { printsPlans }: ExtensionOptions,
  { plan, loaders, response, session, caching, calls }: ExtendedOperation,
): OperationContext['extensions'] {
  const printsPlan = printsPlans && headers[PLAN_HEADER] === INCLUDED;
  if (printsPlan || calls !== undefined) caching?.preventReuse();
  return () => {
    const tags = response.hasErrors ? undefined : caching?.tags;
    const { staleMs } = session;
    if (staleMs === undefined && !printsPlan && calls === undefined) return tags;
    return {
      ...tags,
      ...(staleMs !== undefined && { stale: { ageSeconds: Math.ceil(staleMs / 1000) } }),
      ...(printsPlan && {
        plan: { fields: linesOf(plan.print()), calls: linesOf(loaders.print()) },
      }),
      ...(calls && { restCalls: calls.read() }),
    };
  };
}

function linesOf(text: Generator<string>): string[] {
  const lines = [...text.take(MAX_PLAN_LINES + 1)];
  return lines.length > MAX_PLAN_LINES ? [...lines.slice(0, MAX_PLAN_LINES), '...'] : lines;
}
