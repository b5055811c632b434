import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  getLocation,
  getNamedType,
  isLeafType,
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { getArgumentValues, getVariableValues } from 'graphql/execution/values.js';
import { schema } from '../../test/oracle/schema.ts';
import type { Asked } from '../index.ts';

/** What a document asks of the results of `dataset`, as the engine takes it: for tests, which know what is right of a document. */
export interface AskedByDocument {
  /** The keys of the dataset, its results, their series and the list of these. */
  readonly keys: readonly string[];
  readonly entries: readonly Asked[] | undefined;
  readonly all: readonly Asked[];
  /** Where the field with the list is in the document. */
  readonly series: unknown;
}

const leafObjects: Readonly<Record<string, string>> = { 'AssetParent.asset': 'parentAsset' };
const ids: Readonly<Record<string, string>> = { id: 'globalId', datasetId: 'datasetId' };

/** A document asks for fields that are in no body of results. */
class OtherBody extends Error {}

/** Undefined if it also asks for fields that are in no body of results. */
export function askedBy(
  document: DocumentNode,
  variables: Record<string, unknown>,
  datasetId: string,
): AskedByDocument | undefined {
  try {
    return fieldsAsked(document, variables, datasetId);
  } catch (error) {
    if (error instanceof OtherBody) return undefined;
    throw error;
  }
}

function fieldsAsked(document: DocumentNode, variables: Record<string, unknown>, datasetId: string): AskedByDocument {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === 'OperationDefinition',
  ) as OperationDefinitionNode;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) => (each.kind === 'FragmentDefinition' ? [[each.name.value, each]] : [])),
  );
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables) as {
    coerced?: Record<string, unknown>;
  };
  const source = document.loc?.source;

  const locationOf = ({ loc }: FieldNode) => (source && loc ? getLocation(source, loc.start) : undefined);
  const fieldsOn = (type: GraphQLObjectType, nodes: readonly FieldNode[]) =>
    collectSubfields(schema, fragments, coerced, type, nodes);

  const asked = (type: GraphQLObjectType, nodes: readonly FieldNode[], isParent = false): Asked[] =>
    Array.from(fieldsOn(type, nodes), ([key, same]): Asked => {
      const [node] = same as [FieldNode];
      const name = node.name.value;
      const origin = locationOf(node);
      if (name === '__typename') return { key, field: 'constant', args: { json: JSON.stringify(type.name) }, origin };
      if (type.name === 'Asset' && name in ids) return { key, origin, ...idOf(name) };
      const definition = type.getFields()[name] as NonNullable<ReturnType<GraphQLObjectType['getFields']>[string]>;
      const of = getNamedType(definition.type);
      if (type.name === 'Asset' && (name === 'dataset' || (isParent && name !== 'assetId'))) throw new OtherBody();
      const field = leafObjects[`${type.name}.${name}`] ?? name;
      const select = isLeafType(of)
        ? {}
        : { select: asked(of as GraphQLObjectType, same, type.name === 'AssetParent') };
      return { key, field, ...argumentsOf(definition, node), origin, ...select };
    });

  const argumentsOf = (definition: Parameters<typeof getArgumentValues>[0], node: FieldNode) => {
    try {
      return { args: getArgumentValues(definition, node, coerced) };
    } catch (error) {
      return { invalid: (error as Error).message };
    }
  };

  const idOf = (name: string): Omit<Asked, 'key'> => {
    if (name === 'datasetId') return { field: 'constant', args: { json: JSON.stringify(datasetId) } };
    const text = (assetId: string) => Buffer.from(JSON.stringify([datasetId, assetId])).toString('base64url');
    return { field: 'assetId', args: { text } };
  };

  const only = (fields: Map<string, readonly FieldNode[]>) => {
    const [[key, nodes]] = [...fields] as [[string, readonly FieldNode[]]];
    return { key, nodes };
  };
  const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;
  const dataset = only(collectFields(schema, fragments, coerced, typeOf('Query'), operation.selectionSet) as never);
  const results = only(fieldsOn(typeOf('Dataset'), dataset.nodes) as never);
  const all: Asked[] = [];
  let keys = [dataset.key, results.key];
  let entries: Asked[] | undefined;
  let series: unknown;
  for (const each of asked(typeOf('DatasetResults'), results.nodes)) {
    if (each.field !== 'series') all.push(each);
    else {
      const [list] = each.select as [Asked];
      series = each.origin;
      keys = [...keys, each.key, list.key];
      entries = [...(list.select ?? [])];
    }
  }
  return { keys, entries, all, series };
}
