import {
  type DocumentNode,
  GraphQLScalarType,
  type GraphQLSchema,
  isTypeDefinitionNode,
  Kind,
  type TypeDefinitionNode,
  visit,
} from 'graphql';
import { ConfigError } from '../../core/error-codes.ts';

/**
 * The names in a schema of the types and root fields of `schema.graphql`, by their schema coordinates, such as `Asset` and
 * `Query.dataset` (GraphQL specification, September 2025, "Schema Coordinates").
 */
export type SchemaNames = ReadonlyMap<string, string>;

const QUERY = 'Query';

/** The names of types that GraphQL gives a meaning. Names with two underscores or a leading one are not allowed at all. */
const reserved: ReadonlySet<string> = new Set([
  'Boolean',
  'Float',
  'ID',
  'Int',
  'String',
  QUERY,
  'Mutation',
  'Subscription',
]);

/**
 * The names under SCHEMA_NAMES.
 *
 * @param chosen the new names, by schema coordinates
 * @throws ConfigError if an entry names nothing of the document, or a name is reserved or given twice
 */
export function schemaNames(document: DocumentNode, chosen: SchemaNames = new Map()): SchemaNames {
  const names = new Map<string, string>();
  for (const definition of document.definitions.filter(isTypeDefinitionNode)) {
    const type = definition.name.value;
    if (type !== QUERY) names.set(type, chosen.get(type) ?? type);
    else for (const field of fieldsOf(definition)) names.set(rootField(field), chosen.get(rootField(field)) ?? field);
  }
  for (const coordinate of chosen.keys()) {
    if (!names.has(coordinate)) {
      throw new ConfigError(`SCHEMA_NAMES renames ${coordinate}, which is neither a type nor a root field to rename.`);
    }
  }
  checkNames(names);
  return names;
}

/** @throws ConfigError if a name is reserved or given twice */
function checkNames(names: SchemaNames): void {
  const owners = new Map<string, string>();
  for (const [coordinate, name] of names) {
    const isType = !coordinate.includes('.');
    const key = isType ? name : rootField(name);
    const other = owners.get(key);
    if (other !== undefined) {
      throw new ConfigError(
        `SCHEMA_NAMES must not give ${other} and ${coordinate} the same name, but both are ${name}.`,
      );
    }
    if (isType && reserved.has(name)) {
      throw new ConfigError(`SCHEMA_NAMES must not give ${coordinate} the name ${name}, which GraphQL reserves.`);
    }
    owners.set(key, coordinate);
  }
}

function fieldsOf(definition: TypeDefinitionNode): string[] {
  const { fields = [] } = definition.kind === Kind.OBJECT_TYPE_DEFINITION ? definition : {};
  return fields.map(({ name }) => name.value);
}

/** The schema coordinate of a root field. */
function rootField(name: string): string {
  return `${QUERY}.${name}`;
}

/** Renames the types and the root fields that a document defines. */
export function renameDefinitions(document: DocumentNode, names: SchemaNames): DocumentNode {
  const renamed = <T extends { readonly name: { readonly value: string } }>(node: T, coordinate: string): T => {
    const { value } = node.name;
    return { ...node, name: { ...node.name, value: names.get(coordinate) ?? value } };
  };
  return visit(document, {
    enter: (node) => {
      if (!isTypeDefinitionNode(node) && node.kind !== Kind.NAMED_TYPE) return undefined;
      const { value } = node.name;
      if (value !== QUERY || node.kind !== Kind.OBJECT_TYPE_DEFINITION) return renamed(node, value);
      return { ...node, fields: node.fields?.map((field) => renamed(field, rootField(field.name.value))) };
    },
  });
}

/** Renames resolvers as `renameDefinitions` renames their types and root fields. */
export function renameResolvers(resolvers: object, names: SchemaNames): Record<string, unknown> {
  const entries = Object.entries(resolvers).map(([type, resolver]) => {
    if (type === QUERY) return [type, renameKeys(resolver, (field) => names.get(rootField(field)) ?? field)];
    const name = names.get(type) ?? type;
    return [name, resolver instanceof GraphQLScalarType ? { ...resolver, name } : resolver];
  });
  return Object.fromEntries(entries);
}

function renameKeys(object: object, rename: (key: string) => string): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [rename(key), value]));
}

/** Stores the names of a schema. */
export function setSchemaNames(schema: GraphQLSchema, names: SchemaNames): void {
  schema.extensions = { ...schema.extensions, names };
}

/** The name in a schema of a type or root field, by its schema coordinate in `schema.graphql`. */
export function nameInSchema(coordinate: string, { extensions }: GraphQLSchema): string {
  const names = extensions.names as SchemaNames | undefined;
  return names?.get(coordinate) ?? coordinate;
}
