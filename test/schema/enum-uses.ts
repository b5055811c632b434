import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** The names of the enums of arguments and inputs, and of those of responses. */
export function enumUses(schema: GraphQLSchema): {
  readonly ofArguments: ReadonlySet<string>;
  readonly ofResponses: ReadonlySet<string>;
} {
  const ofArguments = new Set<string>();
  const ofResponses = new Set<string>();
  const note = (type: GraphQLNamedType, uses: Set<string>) => isEnumType(type) && uses.add(type.name);
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isInputObjectType(type))
      for (const member of Object.values(type.getFields())) note(getNamedType(member.type), ofArguments);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      note(getNamedType(field.type), ofResponses);
      for (const argument of field.args) note(getNamedType(argument.type), ofArguments);
    }
  }
  return { ofArguments, ofResponses };
}
