import { type DocumentNode, GraphQLScalarType, type GraphQLSchema, isTypeDefinitionNode, Kind, visit } from 'graphql';

/** The types that keep their names: the entities, by which other subgraphs refer to datasets and assets, and the root. */
const shared: ReadonlySet<string> = new Set(['Asset', 'Dataset', 'Query']);

/** Puts a prefix before the names of the types that a document defines, but for the shared ones. */
export function prefixTypes(document: DocumentNode, prefix: string): DocumentNode {
  if (prefix === '') return document;
  const defined = new Set(document.definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value));
  return visit(document, {
    enter: (node) => {
      if (!isTypeDefinitionNode(node) && node.kind !== Kind.NAMED_TYPE) return undefined;
      const name = node.name.value;
      if (shared.has(name) || !defined.has(name)) return undefined;
      return { ...node, name: { ...node.name, value: prefix + name } };
    },
  });
}

/** Resolvers by the names that `prefixTypes` gives to their types. */
export function prefixResolvers(resolvers: object, prefix: string): Record<string, unknown> {
  const entries = Object.entries(resolvers).map(([name, resolver]) => {
    // A name that begins with an underscore is federation's.
    if (prefix === '' || shared.has(name) || name.startsWith('_')) return [name, resolver];
    const prefixed = prefix + name;
    return [prefixed, resolver instanceof GraphQLScalarType ? { ...resolver, name: prefixed } : resolver];
  });
  return Object.fromEntries(entries);
}

/** Notes the prefix of a schema's types. */
export function setTypePrefix(schema: GraphQLSchema, prefix: string): void {
  schema.extensions = { ...schema.extensions, typePrefix: prefix };
}

/** The name that a type has in a schema, where its types have a prefix too. */
export function nameInSchema(typeName: string, { extensions }: GraphQLSchema): string {
  const { typePrefix = '' } = extensions;
  return shared.has(typeName) ? typeName : `${typePrefix}${typeName}`;
}
