import { type Bytes, literal } from './bytes.ts';
import type { ErrorKind, Errors } from './errors.ts';
import type { Selected } from './field.ts';

/** A value that the caller knows, which is the same for all entries. */
export interface Constant {
  readonly json: string;
  /** What of it is null because of an error. */
  readonly errors?: readonly { readonly path: readonly string[]; readonly kind: ErrorKind; readonly origin: unknown }[];
}

/** Writes a field `constant`, whose argument is `json`, or `of`: a function of the context that gives a Constant. */
export function constantWriter(
  { args }: Selected,
  context: unknown,
  path: readonly string[],
): (out: Bytes, errors: Errors) => void {
  const of = args.of as ((context: unknown) => Constant) | undefined;
  const { json, errors: own = [] } = of === undefined ? { json: String(args.json) } : of(context);
  const bytes = literal(json);
  return (out, errors) => {
    out.literal(bytes);
    for (const error of own) errors.add([...path, ...error.path], error.kind, { origin: error.origin });
  };
}
