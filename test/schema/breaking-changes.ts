import { buildSubgraphSchema } from '@apollo/subgraph';
import { type Change, CriticalityLevel, DiffRule, diff, type Rule } from '@graphql-inspector/core';
import { type GraphQLSchema, isInterfaceType, isObjectType, parse } from 'graphql';

/** What the SDL of a subgraph breaks of the released one. Whatever the released SDL marks as deprecated may be removed. */
export async function breakingChanges(released: string, current: string): Promise<Change[]> {
  const rules = [DiffRule.suppressRemovalOfDeprecatedField, allowRemovalOfDeprecatedArgument, keepFederationContract];
  const changes = await diff(build(released), build(current), rules);
  return changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
}

/** The definitions of federation's directives come from the `@link` of the SDL. */
function build(sdl: string): GraphQLSchema {
  return buildSubgraphSchema(parse(sdl));
}

/** Inspector has a rule for deprecated fields, input fields and enum values, and none for arguments. */
const allowRemovalOfDeprecatedArgument: Rule = ({ changes, oldSchema }) =>
  changes.map((change) => {
    if (change.type !== 'FIELD_ARGUMENT_REMOVED') return change;
    const [typeName = '', fieldName = '', name = ''] = change.path?.split('.') ?? [];
    const type = oldSchema?.getType(typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
    const deprecated = field?.args.find((arg) => arg.name === name)?.deprecationReason != null;
    return deprecated ? withLevel(change, CriticalityLevel.Dangerous) : change;
  });

/** Other subgraphs fail to compose or to resolve references without these, which Inspector takes for custom directives. */
const keepFederationContract: Rule = ({ changes }) =>
  changes.map((change) =>
    change.type.endsWith('_REMOVED') && /\.@(key|shareable)(\.|$)/.test(change.path ?? '')
      ? withLevel(change, CriticalityLevel.Breaking)
      : change,
  );

/** The same change, with another criticality. */
function withLevel(change: Change, level: CriticalityLevel): Change {
  return { ...change, criticality: { ...change.criticality, level } };
}
