import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  type DocumentNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  visit,
} from 'graphql';
import { enumUses, isShared } from './evolution.ts';

const added = parse(`
  type More { more(more: String): String }
  input MoreInput { more: String }
  type Fields { more: More }
  enum Values { MORE }
`);
const [type, input, fields, values] = added.definitions as readonly unknown[] as [
  ObjectTypeDefinitionNode,
  { fields: [InputValueDefinitionNode] },
  { fields: [FieldDefinitionNode] },
  { values: [EnumValueDefinitionNode] },
];
/** As an argument or a member of an input. */
const [nullable] = input.fields;
const [field] = fields.fields;
const [value] = values.values;

/** A schema with one more of each that docs/compatibility.md allows a release to add, in each place. */
export function withMoreOfEach(document: DocumentNode): DocumentNode {
  const { ofArguments } = enumUses(buildSubgraphSchema(document));
  const more = visit(document, {
    [Kind.OBJECT_TYPE_DEFINITION]: {
      leave: (node) => (isShared(node) ? undefined : { ...node, fields: [...(node.fields ?? []), field] }),
    },
    [Kind.FIELD_DEFINITION]: (node) =>
      node.arguments?.length ? { ...node, arguments: [...node.arguments, nullable] } : undefined,
    [Kind.INPUT_OBJECT_TYPE_DEFINITION]: (node) => ({ ...node, fields: [...(node.fields ?? []), nullable] }),
    [Kind.ENUM_TYPE_DEFINITION]: (node) =>
      ofArguments.has(node.name.value) ? { ...node, values: [...(node.values ?? []), value] } : undefined,
  });
  return { ...more, definitions: [...more.definitions, type] };
}
