import { readFileSync } from 'node:fs';
import { buildASTSchema, type GraphQLScalarType, type GraphQLSchema, parse } from 'graphql';
import { inputBound } from './dates.ts';

/** The schema of schema.graphql for graphql-js, with the entities of a federation, and scalars that let values of the oracle pass. */

const federation = `
  scalar Double
  scalar _Any
  union _Entity = Asset | Dataset
`;

/** Numbers of a response may be what a number must be: a check. */
const withDoubles = (sdl: string) => sdl.replace(/(?<=: \[{0,2})Float\b(?!!\])/g, 'Double');

function build(): GraphQLSchema {
  const sdl = readFileSync('schema.graphql', 'utf8').replace(
    'type Query {',
    'type Query {\n  _entities(representations: [_Any!]!): [_Entity]!\n',
  );
  const document = parse(federation + withDoubles(sdl));
  const schema = buildASTSchema(document, { assumeValidSDL: true, assumeValid: true });
  const timeBound = schema.getType('TimeBound') as GraphQLScalarType;
  timeBound.parseValue = (value) => inputBound(value) ?? fail();
  timeBound.parseLiteral = (node) =>
    inputBound(node.kind === 'IntValue' ? Number(node.value) : node.kind === 'StringValue' ? node.value : null) ??
    fail();
  return schema;
}

function fail(): never {
  throw new TypeError('This is no bound of a time range.');
}

export const schema = build();
