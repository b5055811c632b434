import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Operation } from '../operation.ts';

/** The operation of a document that was sent. Undefined if it has none. */
export function operationIn(document: DocumentNode, { operationName }: Operation): OperationDefinitionNode | undefined {
  return document.definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      (operationName === undefined || definition.name?.value === operationName),
  );
}

/** The fields of a selection set, those of fragments included. */
export function fieldsIn(set: SelectionSetNode | undefined, document: DocumentNode): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet, document);
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsIn(fragment.selectionSet, document) : [];
  });
}

/** Whether a response has a field under this key. */
export function isAt(key: string | number | undefined, { alias, name }: FieldNode): boolean {
  return (alias ?? name).value === key;
}
