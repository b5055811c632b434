import type { Outcome } from './neighbour.ts';

/** What clients that defer accept. */
export const DEFER_ACCEPT = 'multipart/mixed;deferSpec=20220824, application/json';

/** What becomes of `@defer` where a gateway does not know it, or does not defer. */
export const DEFER_REFUSED = 'refused: 400';
export const DEFER_IGNORED = 'ignored: one response';

/** Apollo Server does not know the directive. */
export const deferRefused: Outcome = {
  status: 400,
  body: { errors: [{ message: 'Unknown directive "@defer".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  calls: [],
};
