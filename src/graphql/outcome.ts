import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { RestError } from '../rest/errors.ts';
import type { ResultsAnswer } from '../results/answer.ts';

/** What there is to say of an operation beside its data and what its resolvers have thrown. */
export class OperationOutcome {
  /** Errors of answers that gave data, but from which something had to be left out. */
  readonly incomplete: GraphQLError[] = [];
  /** Whether the operation was not executed, because a variable could not be coerced. */
  variablesRefused = false;
  readonly #reported = new Set<ResultsAnswer>();

  /**
   * Notes one error for each answer that is incomplete, at the field that was the first to ask for it. A resolver can
   * return data or an error, but not both; so these errors are put beside the data when the operation is done.
   */
  reportIncomplete(answers: readonly ResultsAnswer[], info: GraphQLResolveInfo): void {
    for (const answer of answers) {
      if (this.#reported.has(answer)) continue;
      this.#reported.add(answer);
      const originalError = new RestError('getDatasetResults', 'invalidResponse', { status: 200 });
      const path = responsePathAsArray(info.path);
      this.incomplete.push(new GraphQLError(originalError.message, { nodes: info.fieldNodes, path, originalError }));
    }
  }
}
