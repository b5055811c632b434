import {
  type FieldNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLResolveInfo,
  responsePathAsArray,
} from 'graphql';
import type { PathError } from '../../engine/index.ts';
import {
  type ErrorSink,
  type OddRowCounter,
  ReaderMemory,
  type Reserve,
  type WorkBudget,
  type Writing,
  type WrittenPart,
  writeChunks,
} from '../results/results.ts';
import { errorOfPart } from './errors/engine-errors.ts';
import { codeOf, type FormatError, type OperationObserver, type ReportInternal } from './errors/errors.ts';
import { type OperationErrors, omittedErrors, type PartialErrors } from './errors/operation-errors.ts';
import { FieldInfo } from './execution/execution.ts';
import { type Json, jsonOfData, Placeholder } from './execution/json.ts';
import { locatedAt } from './execution/located-error.ts';
import type { FieldOrigin } from './plan/results-selection.ts';

/** The map `extensions` of a response (GraphQL specification, section 7.1). */
export type ResponseExtensions = Readonly<Record<string, unknown>>;

/** What an operation has for its response. */
export interface CompletedOperation {
  readonly requestId: string;
  /** Undefined if nobody observes it. */
  readonly observer: OperationObserver | undefined;
  readonly reportInternal: ReportInternal;
  readonly response: OperationResponse;
  readonly partialErrors: PartialErrors;
  /** Is called when the data is written. Undefined, or returns undefined, if the response has no extensions. */
  readonly extensions: (() => ResponseExtensions | undefined) | undefined;
}

/** The body of a response: its text, or what writes it while it is sent, each step in one time slice. */
export type ResponseBody = string | Generator<readonly Buffer[] | Promise<void>, void>;

/**
 * The response of one operation. A field of results leaves a placeholder in the data. Its value is written from the bytes of REST
 * responses while the response is sent, and the errors that are found then follow the data: `errors` may be anywhere in a response
 * (GraphQL specification, section 7.1).
 */
export class OperationResponse {
  /** Its body. Undefined if graphql-js has executed the operation, and there are no placeholders. */
  body: ResponseBody | undefined;
  /** Whether it has an error so far. */
  hasErrors = false;
  readonly #work: WorkBudget;
  readonly #counted: OperationErrors;
  readonly #reserve: Reserve;
  readonly #oddRows: OddRowCounter;
  /** The placeholders in data of graphql-js. */
  readonly #replaced: Placeholder[] = [];

  /** @param reserve reserves memory for what is made of results before it is written */
  constructor(work: WorkBudget, counted: OperationErrors, reserve: Reserve, oddRows: OddRowCounter) {
    this.#work = work;
    this.#counted = counted;
    this.#reserve = reserve;
    this.#oddRows = oddRows;
  }

  /** Adds a placeholder for a field. Returns the value that the resolver must return. */
  addPlaceholder(info: GraphQLResolveInfo, write: Writing): never {
    const placeholder = new Placeholder(info, write);
    // It fits every type of field, which TypeScript cannot know. graphql-js completes only values of the type, or null.
    if (info instanceof FieldInfo) return placeholder as never;
    this.#replaced.push(placeholder);
    return null as never;
  }

  /**
   * Completes the response when its operation is done.
   *
   * @param errors those of execution
   */
  complete(
    data: Json,
    errors: readonly GraphQLFormattedError[],
    operation: CompletedOperation,
    format: FormatError,
  ): ResponseBody {
    const all = this.#errorsOf(errors, operation, format);
    if (typeof data !== 'string') {
      this.body = writeChunks(this.#parts(data, all, operation, format));
      return this.body;
    }
    if (this.#counted.omitted > 0) all.push(this.#omitted(operation, format));
    const start = all.length > 0 ? `{"errors":${JSON.stringify(all)},` : '{';
    const extensions = operation.extensions?.();
    const end = extensions === undefined ? '}' : `${extensionsJson(extensions)}}`;
    this.body = `${start}"data":${data}${end}\n`;
    return this.body;
  }

  /** Completes a response of graphql-js. It has null in the places of its placeholders. */
  completeResult(result: FormattedExecutionResult, operation: CompletedOperation, format: FormatError): void {
    for (const placeholder of this.#replaced) replaceIn(result.data, placeholder);
    const json = this.#replaced.length > 0 ? jsonOfData(result.data) : '';
    if (typeof json !== 'string') {
      // The trace follows.
      const extensions = () => ({ ...result.extensions, ...operation.extensions?.() });
      this.complete(json, result.errors ?? [], { ...operation, extensions }, format);
      // Apollo Server writes what is left, for nobody.
      Object.assign(result, { data: null });
      return;
    }
    const errors = this.#errorsOf(result.errors ?? [], operation, format);
    if (this.#counted.omitted > 0) errors.push(this.#omitted(operation, format));
    const extensions = operation.extensions?.();
    Object.assign(result, { errors: errors.length > 0 ? errors : undefined, ...(extensions && { extensions }) });
  }

  /** The texts and the placeholders. The errors come last, because writing can add errors. */
  *#parts(
    data: Exclude<Json, string>,
    all: GraphQLFormattedError[],
    operation: CompletedOperation,
    format: FormatError,
  ): Iterable<string | WrittenPart> {
    const report = (error: GraphQLError) => all.push(completed(error, operation, format));
    const memory = new ReaderMemory(this.#reserve);
    yield '{"data":';
    try {
      for (const part of data) {
        if (typeof part === 'string') {
          yield part;
          continue;
        }
        const sink = new PlaceholderErrors(part, this.#counted, this.#work.limit, report);
        yield {
          write: part.write as Writing,
          output: { errors: sink, work: this.#work, memory, oddRows: this.#oddRows },
        };
      }
    } finally {
      // Nothing more is read.
      memory.release();
    }
    for (const error of operation.partialErrors.omissions()) if (this.#admits(error)) report(error);
    if (this.#counted.omitted > 0) all.push(this.#omitted(operation, format));
    if (all.length > 0) yield `,"errors":${JSON.stringify(all)}`;
    const extensions = operation.extensions?.();
    if (extensions !== undefined) yield extensionsJson(extensions);
    yield '}\n';
  }

  /** The errors of execution, and those that no resolver has thrown. */
  #errorsOf(errors: readonly GraphQLFormattedError[], operation: CompletedOperation, format: FormatError) {
    const all = errors.map((error) => withRequestId(error, operation));
    for (const error of operation.partialErrors.errorsWithData()) {
      if (this.#admits(error)) all.push(completed(error, operation, format));
    }
    return all;
  }

  #admits({ message, path = [] }: GraphQLError): boolean {
    return this.#counted.admit(message, path);
  }

  /** The error that says how many errors are omitted. */
  #omitted(operation: CompletedOperation, format: FormatError): GraphQLFormattedError {
    return completed(omittedErrors(this.#counted), operation, format);
  }
}

function completed(error: GraphQLError, operation: CompletedOperation, format: FormatError): GraphQLFormattedError {
  return withRequestId(format(error.toJSON(), error, operation.reportInternal), operation);
}

function withRequestId(
  error: GraphQLFormattedError,
  { observer, requestId, response }: CompletedOperation,
): GraphQLFormattedError {
  response.hasErrors = true;
  observer?.error(String(error.extensions?.code));
  const rest = error.extensions?.rest;
  if (typeof rest === 'object' && rest !== null) Object.assign(rest, { requestId });
  return error;
}

function extensionsJson(extensions: ResponseExtensions): string {
  return `,"extensions":${JSON.stringify(extensions)}`;
}

/** Puts a placeholder into data of graphql-js, unless a parent of it is null. */
function replaceIn(data: unknown, placeholder: Placeholder): void {
  const path = responsePathAsArray(placeholder.info.path);
  let parent = data as Record<string | number, unknown> | null | undefined;
  for (const key of path.slice(0, -1)) parent = parent?.[key] as typeof parent;
  const last = path.at(-1);
  if (parent !== null && parent !== undefined && last !== undefined) parent[last] = placeholder;
}

/**
 * Reports the errors that are found while the value of one placeholder is written. (It is a class, because V8 keeps an
 * object literal with a getter, and everything that it refers to, until the next full garbage collection.)
 */
class PlaceholderErrors implements ErrorSink {
  readonly #info: Placeholder['info'];
  readonly #errors: OperationErrors;
  readonly #limit: number;
  readonly #report: (error: GraphQLError) => void;

  /**
   * @param limit the work limit, for the message of its error
   * @param report adds an error to the response
   */
  constructor({ info }: Placeholder, errors: OperationErrors, limit: number, report: (error: GraphQLError) => void) {
    this.#info = info;
    this.#errors = errors;
    this.#limit = limit;
    this.#report = report;
  }

  add(error: PathError, path: PathError['path']): void {
    if (this.#errors.isFull) {
      this.omit(1);
      return;
    }
    const { path: base, fieldNodes: ownNodes } = this.#info;
    const keys = [...responsePathAsArray(base), ...path];
    const { nodes } = (error.origin ?? {}) as Partial<FieldOrigin>;
    this.#add(errorOfPart(error, this.#limit), path.length === 0 ? ownNodes : (nodes ?? ownNodes), keys);
  }

  fail(error: unknown): boolean {
    if (codeOf(error) === undefined) return false;
    if (this.#errors.isFull) this.omit(1);
    else this.#add(error as Error, this.#info.fieldNodes, responsePathAsArray(this.#info.path));
    return true;
  }

  #add(thrown: Error, nodes: readonly FieldNode[], keys: readonly (string | number)[]): void {
    this.#errors.admit(thrown.message, keys);
    this.#report(locatedAt(thrown, nodes, keys));
  }

  omit(count: number): void {
    this.#errors.omit(count);
  }
}
