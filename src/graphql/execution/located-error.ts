import { type FieldNode, GraphQLError, getLocation, type SourceLocation } from 'graphql';

/** Finding a location goes through the lines of the document, and many errors have the same field. */
const known = new WeakMap<FieldNode, SourceLocation>();

/**
 * An error at a path, with the location of the first of its fields. graphql-js gives an error the location of each field that was
 * merged, and looks for all of them in each error: hundreds of fields times a thousand errors.
 */
export function locatedAt(
  thrown: unknown,
  [node]: readonly FieldNode[],
  path: readonly (string | number)[],
): GraphQLError {
  if (thrown instanceof GraphQLError && thrown.path !== undefined) return thrown;
  const error = thrown instanceof Error ? thrown : new TypeError('No Error was thrown.');
  const { nodes } = error as { readonly nodes?: readonly FieldNode[] };
  const first = nodes?.[0] ?? node;
  const located = new GraphQLError(error.message, { path, originalError: error });
  const location = first && locationOf(first);
  return location === undefined ? located : Object.assign(located, { nodes: [first], locations: [location] });
}

function locationOf(node: FieldNode): SourceLocation | undefined {
  const { loc } = node;
  if (loc === undefined) return undefined;
  const location = known.get(node) ?? getLocation(loc.source, loc.start);
  known.set(node, location);
  return location;
}
