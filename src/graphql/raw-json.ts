import { randomUUID } from 'node:crypto';
import {
  type FieldNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLResolveInfo,
  locatedError,
  responsePathAsArray,
} from 'graphql';
import {
  type ErrorSink,
  type FieldOrigin,
  type Path,
  type WorkBudget,
  type Writing,
  type WrittenPart,
  writeChunks,
} from '../results/results.ts';
import { workExceeded } from './errors.ts';
import { omittedErrors } from './limits.ts';
import type { OperationErrors } from './operation-errors.ts';

/** A field whose value is written later. */
interface Placeholder {
  readonly path: readonly (string | number)[];
  readonly nodes: readonly FieldNode[];
  readonly write: Writing;
}

type Format = (error: GraphQLError) => GraphQLFormattedError;

/**
 * The parts of one response that are written straight from the bytes of REST responses. The resolver of such a field
 * answers null. When the operation is done a placeholder takes the place of that null, and when the response is sent the
 * placeholder gives way to the bytes, which are written only then. What is found to be wrong while they are written is
 * reported behind the data: a response's `errors` may stand anywhere in it (GraphQL specification, section 7.1).
 */
export class RawJson {
  readonly #work: WorkBudget;
  readonly #errors: OperationErrors;
  readonly #placeholders: Placeholder[] = [];
  /** The errors of execution, and those that are found while writing. */
  #found: GraphQLFormattedError[] = [];
  #format: Format = (error) => error.toJSON();
  #marker = '';

  constructor(work: WorkBudget, errors: OperationErrors) {
    this.#work = work;
    this.#errors = errors;
  }

  /** Leaves the value of a field to be written; what the resolver is to return. */
  insert({ path, fieldNodes }: GraphQLResolveInfo, write: Writing): null {
    this.#placeholders.push({ path: responsePathAsArray(path), nodes: fieldNodes, write });
    return null;
  }

  /** Whether there is anything to write. */
  get isEmpty(): boolean {
    return this.#placeholders.length === 0;
  }

  /** Puts the placeholders into the data, and keeps the errors back. */
  mark(result: FormattedExecutionResult, format: Format): void {
    // Nobody can know it before, and so put it into data.
    this.#marker = randomUUID();
    this.#format = format;
    this.#found = [...(result.errors ?? [])];
    Object.assign(result, { errors: undefined });
    for (const [index, { path }] of this.#placeholders.entries()) {
      let parent: unknown = result.data;
      for (const key of path.slice(0, -1))
        parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
      const last = path.at(-1);
      if (parent !== null && parent !== undefined && last !== undefined) {
        (parent as Record<string | number, unknown>)[last] = `${this.#marker}${index}`;
      }
    }
  }

  /**
   * The response with the bytes in place of the placeholders; undefined where there are none. It is written while it is
   * asked for, a time slice after the other, whether or not this fills a chunk.
   */
  render(text: string): Iterable<readonly Buffer[]> | undefined {
    return this.#marker === '' ? undefined : writeChunks(this.#parts(text), this.#work);
  }

  /** The texts between the placeholders, and the placeholders. The errors come last, when everything else is written. */
  *#parts(text: string): Iterable<string | WrittenPart> {
    const report = (error: GraphQLError) => this.#found.push(this.#format(error));
    let at = 0;
    for (let found = text.indexOf(this.#marker); found >= 0; found = text.indexOf(this.#marker, at)) {
      yield text.slice(at, found - 1);
      const end = text.indexOf('"', found);
      const placeholder = this.#placeholders[Number(text.slice(found + this.#marker.length, end))];
      if (placeholder === undefined) throw new RangeError('A placeholder has a number.');
      const errors = new PlaceholderErrors(placeholder, this.#errors, this.#work.limit, report);
      yield { write: placeholder.write, errors };
      at = end + 1;
    }
    const close = text.lastIndexOf('}');
    yield text.slice(at, close);
    const omitted = omittedErrors(this.#errors);
    const errors = [...this.#found, ...(omitted === undefined ? [] : [this.#format(omitted)])];
    if (errors.length > 0) yield `,"errors":${JSON.stringify(errors)}`;
    yield text.slice(close);
  }
}

/**
 * Private. Reports what is found while one placeholder is written. (A class: V8 keeps an object literal that has a getter
 * of its own, with all that the getter refers to, until its next full collection.)
 */
class PlaceholderErrors implements ErrorSink {
  readonly #placeholder: Placeholder;
  readonly #errors: OperationErrors;
  readonly #limit: number;
  readonly #report: (error: GraphQLError) => void;

  /**
   * @param limit of work, which is named where it is exceeded
   * @param report takes the errors that are to be sent
   */
  constructor(placeholder: Placeholder, errors: OperationErrors, limit: number, report: (error: GraphQLError) => void) {
    this.#placeholder = placeholder;
    this.#errors = errors;
    this.#limit = limit;
    this.#report = report;
  }

  add(path: Path | undefined, { nodes }: FieldOrigin, error: Error): void {
    if (!this.#errors.admit()) return;
    const { path: base, nodes: ownNodes } = this.#placeholder;
    const keys = path === undefined ? [] : keysOf(path);
    const fieldNodes = path === undefined ? ownNodes : (nodes as readonly FieldNode[]);
    this.#report(locatedError(error, fieldNodes, [...base, ...keys]));
  }

  get isFull(): boolean {
    return this.#errors.isFull;
  }

  omit(count: number): void {
    this.#errors.omit(count);
  }

  workExceeded(): Error {
    return workExceeded(this.#limit);
  }
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let part: Path | undefined = path; part !== undefined; part = part.parent) keys.unshift(part.key);
  return keys;
}
