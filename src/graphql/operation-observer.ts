/** Observes one GraphQL operation. */
export interface OperationObserver {
  /** The operation of the document is known. @param type its type, such as `query` */
  operationResolved(type: string): void;
  /** The response has an error. @param code `extensions.code` */
  error(code: string): void;
  /** An error that is a bug of this program. */
  internalError(error: unknown): void;
}
