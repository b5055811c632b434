import { type ConstDirectiveNode, Kind, type TypeDefinitionNode } from 'graphql';

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
