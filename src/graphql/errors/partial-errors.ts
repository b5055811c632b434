import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { RestError } from '../../rest/contract/rest-error.ts';
import type { ArrivingAssets, ResultsResponse } from '../../results/results.ts';
import { locatedAt } from '../execution/located-error.ts';

type Field = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** The errors of one operation that no resolver throws. */
export class PartialErrors {
  /** Whether a variable could not be coerced, so that the operation was not executed. */
  variableCoercionFailed = false;
  /** The responses with omitted parts, each with the first field that uses it. */
  #incomplete: Map<ResultsResponse, Field> | undefined;
  #arriving: Map<ArrivingAssets, Field> | undefined;
  readonly #reported: GraphQLError[] = [];

  /**
   * Reports that a field uses responses with omitted parts. A resolver cannot return data and an error. So each such
   * response becomes one error when the operation is done.
   */
  reportIncomplete(responses: readonly ResultsResponse[], info: GraphQLResolveInfo): void {
    for (const response of responses) {
      this.#incomplete ??= new Map();
      const known = this.#incomplete.get(response);
      if (known === undefined || compareFields(info, known) < 0) this.#incomplete.set(response, info);
    }
  }

  /** Reports that a field uses a response that passes: whether parts of it are omitted is known when it has passed. */
  reportArriving(arriving: ArrivingAssets, info: GraphQLResolveInfo): void {
    this.#arriving ??= new Map();
    this.#arriving.set(arriving, info);
  }

  /** Reports the error of a field that has a value all the same. */
  report(error: GraphQLError, { fieldNodes, path }: Field): void {
    this.#reported.push(locatedAt(error, fieldNodes, responsePathAsArray(path)));
  }

  /** The reported errors, and one for each response with omitted parts, at the first field that uses it. */
  errorsWithData(): GraphQLError[] {
    return [...this.#reported, ...(this.#incomplete === undefined ? [] : toErrors([...this.#incomplete.values()]))];
  }

  /** The same for the responses that have passed. */
  arrivedErrors(): GraphQLError[] {
    if (this.#arriving === undefined) return [];
    return toErrors([...this.#arriving].flatMap(([{ omitted }, field]) => (omitted ? [field] : [])));
  }
}

function toErrors(fields: readonly Field[]): GraphQLError[] {
  return fields.toSorted(compareFields).map(({ fieldNodes, path }) => {
    const originalError = new RestError('getDatasetResults', 'invalidResponse', { status: 200 });
    return new GraphQLError(originalError.message, {
      nodes: fieldNodes,
      path: responsePathAsArray(path),
      originalError,
    });
  });
}

/**
 * Compares two fields by their order in the document, and then in lists. The order of their resolution would depend on which
 * response arrives first.
 */
function compareFields(one: Field, other: Field): number {
  const offset = startOf(one) - startOf(other);
  if (offset !== 0) return offset;
  const path = responsePathAsArray(other.path);
  for (const [depth, step] of responsePathAsArray(one.path).entries()) {
    const otherStep = path[depth];
    if (step === otherStep) continue;
    if (typeof step === 'number' && typeof otherStep === 'number') return step - otherStep;
    return String(step) < String(otherStep) ? -1 : 1;
  }
  return 0;
}

function startOf({ fieldNodes }: Field): number {
  return fieldNodes[0]?.loc?.start ?? 0;
}
