import type { Loaders } from '../loaders/loaders.ts';
import type { OperationBudget } from './limits.ts';
import type { OperationErrors } from './operation-errors.ts';
import type { PartialErrors } from './partial-errors.ts';
import type { RawJson } from './raw-json.ts';
import type { Selections } from './selections.ts';

/** What the resolvers of one GraphQL operation share; nothing of it outlives the request. */
export interface OperationContext {
  readonly requestId: string;
  readonly loaders: Loaders;
  readonly budget: OperationBudget;
  readonly partialErrors: PartialErrors;
  readonly selections: Selections;
  readonly errors: OperationErrors;
  /** Undefined where the fast path is off. */
  readonly raw: RawJson | undefined;
  /**
   * The URL of a dataset's file, built without a call.
   *
   * @throws RestError `noToken` when the token is wanted in it and the caller has no usable one
   */
  readonly downloadUrl: (datasetId: string, withToken: boolean) => string;
  /**
   * A URL of this subgraph that gives a dataset's file to whoever has it, for a short time; made without a call. Undefined
   * where the operator has not provided for it.
   *
   * @returns undefined where the caller's token is too long for it
   * @throws RestError `noToken` when the caller has no usable token
   */
  readonly ticketUrl: ((datasetId: string) => Promise<string | undefined>) | undefined;
  /** Whether the operator lets a URL carry the caller's token. */
  readonly tokenInUrlAllowed: boolean;
}
