import { randomUUID } from 'node:crypto';
import {
  type FieldNode,
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
import { codeOf } from './errors/errors.ts';
import { type OperationErrors, omittedErrors } from './errors/operation-errors.ts';
import { FieldJson } from './execution/completion.ts';
import { FieldInfo } from './execution/execution.ts';
import { locatedAt } from './execution/located-error.ts';
import type { FieldOrigin } from './plan/results-selection.ts';

/** A field whose value is written while the response is sent. */
interface Placeholder {
  /** Undefined if it is not in the data. */
  readonly path: GraphQLResolveInfo['path'] | undefined;
  readonly nodes: readonly FieldNode[];
  readonly write: Writing;
}

type Format = (error: GraphQLError) => GraphQLFormattedError;

/**
 * The placeholders of one response. Their values are written from the bytes of REST responses while the response is sent:
 *
 * 1. The resolver of such a field adds a placeholder, and returns a marker: a random UUID and the number of the placeholder.
 *    `{"data":{"dataset":{"id":"d","results":{"series":"8f37442e-b8cd-4c51-925d-a4199166a4b60"}}}}` has the placeholder 0.
 *    graphql-js cannot complete a marker. So it gets null, and the marker replaces the null when the operation is done.
 * 2. When the response is sent, the written value replaces the marker, as in
 *    `{"data":{"dataset":{"id":"d","results":{"series":{"nodes":[]}}}}}`.
 *
 * Errors that are found while a value is written are sent after the data. `errors` may be anywhere in a response (GraphQL
 * specification, section 7.1).
 */
export class RawJson {
  readonly #work: WorkBudget;
  readonly #errors: OperationErrors;
  readonly #memory: ReaderMemory;
  readonly #oddRows: OddRowCounter;
  readonly #placeholders: Placeholder[] = [];
  /** The errors of execution, and those found while writing. */
  #formatted: GraphQLFormattedError[] = [];
  #format: Format = (error) => error.toJSON();
  #late: () => readonly GraphQLError[] = () => [];
  #marker = '';

  /** @param reserve reserves memory for what is made of results before it is written */
  constructor(work: WorkBudget, errors: OperationErrors, reserve: Reserve, oddRows: OddRowCounter) {
    this.#work = work;
    this.#errors = errors;
    this.#memory = new ReaderMemory(reserve);
    this.#oddRows = oddRows;
  }

  /** Adds a placeholder for a field. Returns the value that the resolver must return. */
  addPlaceholder(info: GraphQLResolveInfo, write: Writing): never {
    const marker = this.#mark({ path: info.path, nodes: info.fieldNodes, write });
    // A marker fits every type of field, which TypeScript cannot know. graphql-js completes only values of the type, or null.
    return (info instanceof FieldInfo ? new FieldJson(`"${marker}"`) : null) as never;
  }

  /** Adds a placeholder after the data, whose value is known when the data is written. Returns what takes its place. */
  addExtension(read: () => unknown): string {
    const write: Writing = () => [JSON.stringify(read()) ?? 'null'];
    return this.#mark({ path: undefined, nodes: [], write });
  }

  /** Whether there are no placeholders. */
  get isEmpty(): boolean {
    return this.#placeholders.length === 0;
  }

  /**
   * Takes over the errors of execution, to send them after the data.
   *
   * @param late those that are known when all values are written
   */
  takeErrors(errors: readonly GraphQLFormattedError[], format: Format, late: () => readonly GraphQLError[]): void {
    this.#format = format;
    this.#late = late;
    this.#formatted = [...errors];
  }

  /** Inserts the markers into data of graphql-js. */
  insertMarkers(data: unknown): void {
    for (const [index, placeholder] of this.#placeholders.entries()) {
      if (placeholder.path === undefined) continue;
      const path = responsePathAsArray(placeholder.path);
      let parent = data;
      for (const key of path.slice(0, -1))
        parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
      const last = path.at(-1);
      if (parent !== null && parent !== undefined && last !== undefined) {
        (parent as Record<string | number, unknown>)[last] = `${this.#marker}${index}`;
      }
    }
  }

  /**
   * The chunks of the response, with the written values instead of the markers. Undefined if there are none. They are
   * written on demand. Each step is one time slice, and yields the chunks that it filled, if any.
   */
  render(text: string): Generator<readonly Buffer[] | Promise<void>, void> | undefined {
    return this.#marker === '' ? undefined : writeChunks(this.#releasing(this.#parts(text)));
  }

  /** Adds a placeholder. Returns its marker. */
  #mark(placeholder: Placeholder): string {
    // A random marker cannot occur in the data.
    this.#marker ||= randomUUID();
    this.#placeholders.push(placeholder);
    return `${this.#marker}${this.#placeholders.length - 1}`;
  }

  /** The memory of readers is released when all parts are written. */
  *#releasing(parts: Iterable<string | WrittenPart>): Iterable<string | WrittenPart> {
    try {
      yield* parts;
    } finally {
      this.#memory.release();
    }
  }

  /** The texts between the markers, and the placeholders. The errors come last, because writing can add errors. */
  *#parts(text: string): Iterable<string | WrittenPart> {
    const report = (error: GraphQLError) => this.#formatted.push(this.#format(error));
    let at = 0;
    for (let found = text.indexOf(this.#marker); found >= 0; found = text.indexOf(this.#marker, at)) {
      yield text.slice(at, found - 1);
      const end = text.indexOf('"', found);
      const placeholder = this.#placeholders[Number(text.slice(found + this.#marker.length, end))];
      if (placeholder === undefined) throw new RangeError('There is no placeholder with this number.');
      const errors = new PlaceholderErrors(placeholder, this.#errors, this.#work.limit, report);
      const output = { errors, work: this.#work, memory: this.#memory, oddRows: this.#oddRows };
      yield { write: placeholder.write, output };
      at = end + 1;
    }
    const close = text.lastIndexOf('}');
    yield text.slice(at, close);
    for (const error of this.#late()) report(error);
    const omitted = omittedErrors(this.#errors);
    const errors = [...this.#formatted, ...(omitted === undefined ? [] : [this.#format(omitted)])];
    if (errors.length > 0) yield `,"errors":${JSON.stringify(errors)}`;
    yield text.slice(close);
  }
}

/**
 * Reports the errors that are found while the value of one placeholder is written. (It is a class, because V8 keeps an
 * object literal with a getter, and everything that it refers to, until the next full garbage collection.)
 */
class PlaceholderErrors implements ErrorSink {
  readonly #placeholder: Placeholder;
  readonly #errors: OperationErrors;
  readonly #limit: number;
  readonly #report: (error: GraphQLError) => void;

  /**
   * @param limit the work limit, for the message of its error
   * @param report adds an error to the response
   */
  constructor(placeholder: Placeholder, errors: OperationErrors, limit: number, report: (error: GraphQLError) => void) {
    this.#placeholder = placeholder;
    this.#errors = errors;
    this.#limit = limit;
    this.#report = report;
  }

  add(error: PathError, path: PathError['path']): void {
    if (this.#errors.isFull) {
      this.omit(1);
      return;
    }
    const { path: base, nodes: ownNodes } = this.#placeholder;
    const keys = [...responsePathAsArray(base), ...path];
    const { nodes } = (error.origin ?? {}) as Partial<FieldOrigin>;
    this.#add(errorOfPart(error, this.#limit), path.length === 0 ? ownNodes : (nodes ?? ownNodes), keys);
  }

  fail(error: unknown): boolean {
    const { path, nodes } = this.#placeholder;
    if (path === undefined || codeOf(error) === undefined) return false;
    if (this.#errors.isFull) this.omit(1);
    else this.#add(error as Error, nodes, responsePathAsArray(path));
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
