import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  type ASTNode,
  type ConstDirectiveNode,
  type DangerousChange,
  DangerousChangeType,
  type DocumentNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
  visit,
} from 'graphql';

/** A type, or a part of one: a field, an argument, a member of an input, or a value of an enum. */
type Element = TypeDefinitionNode | FieldDefinitionNode | InputValueDefinitionNode | EnumValueDefinitionNode;

/**
 * What the SDL of a subgraph changes of the released one against the rules of docs/compatibility.md. What the released SDL marks as
 * deprecated may go.
 */
export function forbiddenChanges(released: string, current: string): string[] {
  const before = withoutDeprecated(parse(released));
  const after = parse(current);
  const schema = buildSubgraphSchema(after);
  const old = buildSubgraphSchema(before);
  const isAddition = ({ type }: DangerousChange) =>
    type === DangerousChangeType.OPTIONAL_ARG_ADDED ||
    type === DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED ||
    type === DangerousChangeType.VALUE_ADDED_TO_ENUM;
  const changes = [
    ...findBreakingChanges(old, schema),
    ...findDangerousChanges(old, schema).filter((change) => !isAddition(change)),
  ];
  const { ofResponses } = enumUses(schema);
  return [
    ...changes.map(({ description }) => description),
    ...forbiddenAdditions(before, after, ofResponses),
    ...lostDirectives(before, after),
  ];
}

/** What is added where it may not be. A type that is added may have everything. */
function forbiddenAdditions(before: DocumentNode, after: DocumentNode, ofResponses: ReadonlySet<string>): string[] {
  const known = elementsOf(before);
  return [...elementsOf(after)].flatMap(([path, element]) => {
    const on = path.slice(0, path.lastIndexOf('.'));
    const parent = known.get(on);
    if (known.has(path) || parent === undefined) return [];
    const problem = problemOf(element, parent, ofResponses);
    return problem === undefined ? [] : [`${path} was added: ${problem}.`];
  });
}

function problemOf(element: Element, parent: Element, ofResponses: ReadonlySet<string>): string | undefined {
  if (element.kind === Kind.FIELD_DEFINITION && isShared(parent)) return 'other subgraphs may return the type';
  if (element.kind === Kind.ENUM_VALUE_DEFINITION && ofResponses.has(parent.name.value))
    return 'responses have the enum';
  if (element.kind !== Kind.INPUT_VALUE_DEFINITION) return undefined;
  if (element.type.kind === Kind.NON_NULL_TYPE || element.defaultValue !== undefined) return 'its default is not null';
  const isFirst = parent.kind === Kind.FIELD_DEFINITION && (parent.arguments ?? []).length === 0;
  return isFirst ? 'other subgraphs may declare the field without arguments' : undefined;
}

/** The directives that are gone without which other subgraphs resolve references no more, or do not compose. */
function lostDirectives(before: DocumentNode, after: DocumentNode): string[] {
  const known = elementsOf(after);
  return [...elementsOf(before)].flatMap(([path, { directives = [] }]) => {
    const left = known.get(path)?.directives?.map(print) ?? [];
    const lost = directives.filter(({ name }) => name.value === 'key' || name.value === 'shareable').map(print);
    return lost.filter((directive) => !left.includes(directive)).map((directive) => `${path} lost ${directive}.`);
  });
}

/** The types and their parts, by their paths: `Dataset.results.filter`. */
function elementsOf(document: DocumentNode): Map<string, Element> {
  const elements = new Map<string, Element>();
  const add = (element: Element, on?: string) => {
    const path = on === undefined ? element.name.value : `${on}.${element.name.value}`;
    elements.set(path, element);
    for (const part of partsOf(element)) add(part, path);
  };
  for (const definition of document.definitions)
    if ('name' in definition && definition.kind.endsWith('TypeDefinition')) add(definition as TypeDefinitionNode);
  return elements;
}

function partsOf(element: Element): readonly Element[] {
  if ('fields' in element) return element.fields ?? [];
  if ('values' in element) return element.values ?? [];
  return 'arguments' in element ? (element.arguments ?? []) : [];
}

/** The document without the fields, arguments, members of inputs and values that it deprecates. */
function withoutDeprecated(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: (node: ASTNode) =>
      'directives' in node && node.directives?.some(({ name }) => name.value === 'deprecated') ? null : undefined,
  });
}

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
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      note(getNamedType(field.type), ofResponses);
      for (const argument of field.args) note(getNamedType(argument.type), ofArguments);
    }
  }
  return { ofArguments, ofResponses };
}

/**
 * Whether other subgraphs may return objects of a type that this one cannot complete: they define it, too, or it has no key by which this
 * one resolves it. They compose no more once the type gains a field.
 */
export function isShared({ directives = [] }: Pick<TypeDefinitionNode, 'directives'>): boolean {
  return directives.some((directive) => directive.name.value === 'shareable' || isUnresolvable(directive));
}

function isUnresolvable({ arguments: given = [] }: ConstDirectiveNode): boolean {
  return given.some(({ name, value }) => name.value === 'resolvable' && value.kind === Kind.BOOLEAN && !value.value);
}
