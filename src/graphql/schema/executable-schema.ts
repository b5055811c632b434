import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { packageRoot } from '../../core/package.ts';
import type { OperationContext } from '../context.ts';
import { limitFieldErrors } from '../errors/operation-errors.ts';
import { resolvers } from '../resolvers/resolver-map.ts';
import { representationOf } from './scalars.ts';
import { renameDefinitions, renameResolvers, type SchemaNames, schemaNames, setSchemaNames } from './schema-names.ts';
import { limitServiceSdl } from './service-sdl.ts';

/** Reads the type definitions of `schema.graphql`, the contract with routers and clients. */
export function readTypeDefs(): DocumentNode {
  return parse(readFileSync(new URL('schema.graphql', packageRoot), 'utf8'));
}

/**
 * Creates the executable subgraph schema: the type definitions, their resolvers, and the fields of federation.
 *
 * @param prefix TYPE_PREFIX
 * @param chosen SCHEMA_NAMES
 * @throws ConfigError if these names are not possible
 */
export function createSchema(prefix = '', chosen?: SchemaNames): GraphQLSchema {
  const typeDefs = readTypeDefs();
  const names = schemaNames(typeDefs, prefix, chosen);
  const _Any = representationOf(['Asset', 'Dataset'].map((type) => names.get(type) ?? type));
  const schema = buildSubgraphSchema([
    {
      typeDefs: renameDefinitions(typeDefs, names),
      resolvers: renameResolvers({ ...resolvers, _Any }, names) as never,
    },
  ]);
  setSchemaNames(schema, names);
  guardRepresentations(schema);
  limitServiceSdl(schema);
  limitFieldErrors(schema);
  return schema;
}

/** Limits and observes `_entities`: the federation library accepts any number of representations. */
function guardRepresentations(schema: GraphQLSchema): void {
  const entities = schema.getQueryType()?.getFields()._entities;
  const resolve = entities?.resolve;
  if (entities === undefined || resolve === undefined) throw new Error('The schema has no entities.');
  entities.resolve = (root, args, context: OperationContext, info) => {
    context.budget.spendRepresentations(args.representations.length, info);
    context.onEntities?.(args.representations);
    return resolve(root, args, context, info);
  };
}
