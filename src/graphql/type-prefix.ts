import { type DocumentNode, GraphQLScalarType, type GraphQLSchema, isTypeDefinitionNode, Kind, visit } from 'graphql';

/** The types without prefix: the entities, which other subgraphs refer to, and the root. */
const unprefixed: ReadonlySet<string> = new Set(['Asset', 'Dataset', 'Query']);

/** Adds a prefix to the names of the types that a document defines, except the unprefixed types. */
export function prefixTypes(document: DocumentNode, prefix: string): DocumentNode {
  if (prefix === '') return document;
  const defined = new Set(document.definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value));
  return visit(document, {
    enter: (node) => {
      if (!isTypeDefinitionNode(node) && node.kind !== Kind.NAMED_TYPE) return undefined;
      const name = node.name.value;
      if (unprefixed.has(name) || !defined.has(name)) return undefined;
      return { ...node, name: { ...node.name, value: prefix + name } };
    },
  });
}

/** Renames resolvers as `prefixTypes` renames their types. */
export function prefixResolvers(resolvers: object, prefix: string): Record<string, unknown> {
  const entries = Object.entries(resolvers).map(([name, resolver]) => {
    // Names with an underscore belong to federation.
    if (prefix === '' || unprefixed.has(name) || name.startsWith('_')) return [name, resolver];
    const prefixed = prefix + name;
    return [prefixed, resolver instanceof GraphQLScalarType ? { ...resolver, name: prefixed } : resolver];
  });
  return Object.fromEntries(entries);
}

/** Stores the prefix of a schema's types. */
export function setTypePrefix(schema: GraphQLSchema, prefix: string): void {
  schema.extensions = { ...schema.extensions, typePrefix: prefix };
}

/** The name of a type in a schema, with the prefix of the schema. */
export function nameInSchema(typeName: string, { extensions }: GraphQLSchema): string {
  const { typePrefix = '' } = extensions;
  return unprefixed.has(typeName) ? typeName : `${typePrefix}${typeName}`;
}
