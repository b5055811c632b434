import type { Loaders } from '../loaders/loaders.ts';
import type { OperationErrors } from './errors/operation-errors.ts';
import type { OperationBudget } from './limits.ts';
import type { RequestPlan } from './plan/operation-plan.ts';
import type { CompletedOperation } from './response.ts';
import type { ResultsFile } from './results-file.ts';

/** The context of one GraphQL operation. It does not outlive the request. */
export interface OperationContext extends CompletedOperation {
  readonly loaders: Loaders;
  readonly budget: OperationBudget;
  readonly plan: RequestPlan;
  readonly errors: OperationErrors;
  /**
   * The URL of a dataset's file. Makes no call.
   *
   * @throws RestError `noToken` if the URL needs the token and the client sent no usable token
   */
  readonly downloadUrl: (datasetId: string, withToken: boolean) => string;
  /** The URL of a file of results, for a request with the client's token. It has no secret. Makes no call. */
  readonly resultsFileUrl: (datasetId: string, file: ResultsFile) => string;
  /**
   * A URL of this subgraph with a ticket: for a short time, anyone who has it can download the file of a static dataset, or
   * of results if `file` is given. Makes no call. Undefined if tickets are not enabled.
   *
   * @returns undefined if the client's token, with the filter of the file, is too long for a ticket
   * @throws RestError `noToken` if the client sent no usable token
   */
  readonly ticketUrl: ((datasetId: string, file?: ResultsFile) => Promise<string | undefined>) | undefined;
  /** Is called with the dataset of each representation of each field `_entities`. Undefined if nobody wants to know them. */
  readonly onEntities: ((datasetIds: readonly (string | undefined)[]) => void) | undefined;
  /** Whether the client's token may be in a URL. */
  readonly tokenInUrlAllowed: boolean;
}
