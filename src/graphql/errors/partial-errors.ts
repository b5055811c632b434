import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { RestError } from '../../rest/contract/rest-error.ts';
import { locatedAt } from '../execution/located-error.ts';

type Field = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** The errors of one operation that no resolver throws. */
export class PartialErrors {
  /** Whether a variable could not be coerced, so that the operation was not executed. */
  variableCoercionFailed = false;
  /** The responses, each with the first field that uses it. */
  #used: Map<{ readonly omitted: boolean }, Field> | undefined;
  readonly #reported: GraphQLError[] = [];

  /**
   * Notes that a field uses responses. Whether list entries of them are omitted is known when they have been read. A resolver cannot
   * return data and an error, so each response with omissions becomes one error when the operation is done.
   */
  noteResponses(responses: readonly { readonly omitted: boolean }[], info: GraphQLResolveInfo): void {
    for (const response of responses) {
      this.#used ??= new Map();
      const known = this.#used.get(response);
      if (known === undefined || compareFields(info, known) < 0) this.#used.set(response, info);
    }
  }

  /** Reports the error of a field that has a value all the same. */
  report(error: GraphQLError, { fieldNodes, path }: Field): void {
    this.#reported.push(locatedAt(error, fieldNodes, responsePathAsArray(path)));
  }

  /** The reported errors, and one for each response with omissions, at the first field that uses it. */
  errorsWithData(): readonly GraphQLError[] {
    return this.#used === undefined ? this.#reported : [...this.#reported, ...this.omissions()];
  }

  /** One for each response with omissions that were found since this was asked last. */
  omissions(): readonly GraphQLError[] {
    if (this.#used === undefined) return [];
    const found = [...this.#used].filter(([{ omitted }]) => omitted);
    if (found.length === 0) return [];
    for (const [response] of found) this.#used?.delete(response);
    return toErrors(found.map(([, field]) => field));
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
