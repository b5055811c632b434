/** An operation, as it is sent. */
export interface Operation {
  readonly query: string;
  readonly variables?: unknown;
  /** Which operation of the document runs, if it has several. */
  readonly operationName?: string;
}
