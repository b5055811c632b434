import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { packageRoot } from '../../core/package.ts';
import { limitFieldErrors } from '../errors/operation-errors.ts';
import type { DateUnit } from '../resolvers/Dataset.ts';
import { createResolvers } from '../resolvers/resolver-map.ts';
import { guardEntities } from './entities.ts';
import { parseId, representationOf } from './scalars.ts';
import { renameDefinitions, renameResolvers, type SchemaNames, schemaNames, setSchemaNames } from './schema-names.ts';
import { limitServiceSdl } from './service-sdl.ts';

/** Reads the type definitions of `schema.graphql`, the contract with routers and clients. */
export function readTypeDefs(): DocumentNode {
  return parse(readFileSync(new URL('schema.graphql', packageRoot), 'utf8'));
}

/**
 * Creates the executable subgraph schema: the type definitions, their resolvers, and the fields of federation.
 *
 * @param chosen SCHEMA_NAMES
 * @param dateUnit DATE_UNIT
 * @throws ConfigError if these names are not possible
 */
export function createSchema(chosen?: SchemaNames, dateUnit: DateUnit = 'milliseconds'): GraphQLSchema {
  const typeDefs = readTypeDefs();
  const names = schemaNames(typeDefs, chosen);
  const _Any = representationOf(['Asset', 'Dataset'].map((type) => names.get(type) ?? type));
  const scalars = { _Any, ID: { parseValue: parseId } };
  const schema = buildSubgraphSchema([
    {
      typeDefs: renameDefinitions(typeDefs, names),
      resolvers: renameResolvers({ ...createResolvers(dateUnit), ...scalars }, names) as never,
    },
  ]);
  setSchemaNames(schema, names);
  guardEntities(schema);
  limitServiceSdl(schema);
  limitFieldErrors(schema);
  return schema;
}
