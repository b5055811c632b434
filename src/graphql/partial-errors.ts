import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { RestError } from '../rest/errors.ts';
import type { ResultsResponse } from '../results/results.ts';

type Field = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** What there is to say of an operation beside its data and what its resolvers have thrown. */
export class PartialErrors {
  /** Whether the operation was not executed, because a variable could not be coerced. */
  variableCoercionFailed = false;
  /** Incomplete answers, each with the first of the fields that it was used for. */
  readonly #incomplete = new Map<ResultsResponse, Field>();

  /**
   * Notes that a field has got data of answers from which something had to be left out. A resolver can return data or an
   * error, but not both; so there is one error for each such answer, put beside the data when the operation is done.
   */
  reportIncomplete(responses: readonly ResultsResponse[], info: GraphQLResolveInfo): void {
    for (const response of responses) {
      const known = this.#incomplete.get(response);
      if (known === undefined || order(info, known) < 0) this.#incomplete.set(response, info);
    }
  }

  /** Of each incomplete answer an error, at the first field that has got data of it. */
  incompleteErrors(): GraphQLError[] {
    return [...this.#incomplete.values()].sort(order).map(({ fieldNodes, path }) => {
      const originalError = new RestError('getDatasetResults', 'invalidResponse', { status: 200 });
      return new GraphQLError(originalError.message, {
        nodes: fieldNodes,
        path: responsePathAsArray(path),
        originalError,
      });
    });
  }
}

/**
 * Which of two fields is the first: as they stand in the document, and in lists. Not as they are resolved, which depends on
 * which call is answered first.
 */
function order(one: Field, other: Field): number {
  const places = start(one) - start(other);
  if (places !== 0) return places;
  const path = responsePathAsArray(other.path);
  for (const [depth, step] of responsePathAsArray(one.path).entries()) {
    const its = path[depth];
    if (step === its) continue;
    if (typeof step === 'number' && typeof its === 'number') return step - its;
    return String(step) < String(its) ? -1 : 1;
  }
  return 0;
}

function start({ fieldNodes }: Field): number {
  return fieldNodes[0]?.loc?.start ?? 0;
}
