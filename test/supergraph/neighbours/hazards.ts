import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** `schema.graphql`. graphql-js does not know the directives of federation. */
const ours = buildASTSchema(parse(readFileSync('schema.graphql', 'utf8')), { assumeValidSDL: true });

/**
 * What another subgraph declares or requires of our schema against the advice of docs/federation.md: our inputs, enums of our arguments,
 * and fields with arguments, by their names.
 */
export function hazardsOf(sdl: string): string[] {
  return parse(sdl).definitions.flatMap((definition) => {
    const isInput =
      definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION || definition.kind === Kind.ENUM_TYPE_DEFINITION;
    if (isInput) return ours.getType(definition.name.value) === undefined ? [] : [definition.name.value];
    return definition.kind === Kind.OBJECT_TYPE_DEFINITION ? hazardsIn(definition, ours) : [];
  });
}

function hazardsIn({ name: { value: on }, fields = [] }: ObjectTypeDefinitionNode, schema: GraphQLSchema): string[] {
  const type = schema.getType(on);
  if (!isObjectType(type)) return [];
  const declared = fields.filter(({ name }) => type.getFields()[name.value]?.args.length).map(({ name }) => name.value);
  return [...declared.map((name) => `${on}.${name}`), ...fields.flatMap((field) => requiredBy(field, on, schema))];
}

/** The fields with arguments in what a field requires, at any level. */
function requiredBy({ directives = [] }: FieldDefinitionNode, on: string, schema: GraphQLSchema): string[] {
  const text = directives.find(({ name }) => name.value === 'requires')?.arguments?.[0]?.value;
  if (text?.kind !== Kind.STRING) return [];
  const found: string[] = [];
  const types = new TypeInfo(schema);
  const enter = () => {
    const field = types.getFieldDef();
    if (field?.args.length) found.push(`@requires ${types.getParentType()?.name}.${field.name}`);
  };
  visit(parse(`fragment Required on ${on} { ${text.value} }`), visitWithTypeInfo(types, { [Kind.FIELD]: { enter } }));
  return found;
}
