import type { FieldNode } from 'graphql';
import { type Asked, type Constant, Selection } from '../../../engine/index.ts';
import { toGlobalId } from '../../core/global-id.ts';
import type { BoundPage, PageEntries, PageField } from '../../results/results.ts';
import { OperationErrors } from '../errors/operation-errors.ts';
import { usesVariables } from '../execution/compile.ts';
import { type CompiledField, type CompiledFields, Execution } from '../execution/execution.ts';
import { checkCount, checkMetricNames, checkQuantiles } from '../input.ts';
import type { DatasetModel } from '../models.ts';
import { cursorOf, pageFields } from '../pages.ts';
import { isLoadedMetadata, metadataOfAsset, rowsOfAsset, selectsMetadata } from './loaded-fields.ts';
import {
  argumentsOf,
  conditionErrorIn,
  type ObjectName,
  type SelectionSource,
  selectionOf,
  selectionOn,
  type Variables,
} from './selected-fields.ts';

/*
 * Compiles GraphQL selections on results for the engine. What is compiled depends only on the document and its `@skip` and `@include`.
 * Arguments are read when it is bound.
 */

/** A compiled selection: binds it to the variables of a request. */
export type Bind<T> = (variables: Variables) => T;

/** A compiled selection on results. */
export interface CompiledResults<T> {
  /** Undefined if the selection needs more than the results. Then GraphQL execution resolves it. */
  readonly bind: Bind<T> | undefined;
  /** Whether attributes of assets are selected that may differ between the entries of an asset. */
  readonly hasAttributes: boolean;
  /** What metadata is written for each entry. */
  readonly metadata: readonly WriteMetadata[];
  /** Whether metadata is selected on the dataset of the assets. */
  readonly selectsMetadata: boolean;
}

/** A compiled selection on a page of series. */
export interface CompiledPage extends CompiledResults<BoundPage> {
  /** How many lists of the page are selected. */
  readonly lists: number;
  /** Whether the first field is one. */
  readonly startsWithList: boolean;
  /** How often the cursor of an entry is written for the whole page. */
  readonly pageCursors: number;
}

/** Writes metadata of a dataset, as the engine takes it. */
export type WriteMetadata = (context: WrittenDataset) => Constant;

/** What the functions of a selection get when it is written. */
export interface WrittenDataset {
  /** With its metadata, if these are written. */
  readonly dataset: DatasetModel;
  /** The index of the first entry of the page among all entries. */
  readonly start: number;
}

/** What the engine's errors have of the field in the document. */
export interface FieldOrigin {
  readonly nodes: readonly FieldNode[];
  /** The error of its arguments, or of a value that is constant. */
  readonly error?: Error;
}

/** A field of its own, or the error of its arguments. */
export interface BoundField<T> {
  readonly value?: T;
  readonly error?: Error;
}

/** A field, and what is selected on it. */
interface Node {
  /** The type of its object and its name, as schema.graphql names them. */
  readonly coordinate: string;
  readonly field: CompiledField;
  readonly asked: Omit<Asked, 'select' | 'args' | 'invalid'>;
  readonly select: readonly Node[] | undefined;
  /** The arguments. @throws GraphQLError if they are invalid */
  readonly args: (variables: Variables) => NonNullable<Asked['args']>;
  /** Writes its metadata, if it is a dataset of which some are selected. */
  readonly metadata?: WriteMetadata | undefined;
}

/** What arguments with these names must be. @throws GraphQLError */
const checks: Readonly<Record<string, (value: never) => void>> = {
  first: (count) => checkCount('first', count),
  offset: (count) => checkCount('offset', count),
  points: (count) => checkCount('points', count),
  metrics: checkMetricNames,
  of: checkQuantiles,
};

function checkArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(args)) checks[name]?.(value as never);
  return args;
}

/** The types of objects of which some fields are no attributes or rows, by the field that has them. */
const typesOf: Readonly<Record<string, ObjectName>> = {
  'AssetSeriesEdge.node': 'AssetSeries',
  'AssetSeries.asset': 'Asset',
  'Asset.parent': 'AssetParent',
  'AssetParent.asset': 'Asset',
};

/** Fields that the engine knows by another name. */
const namesInEngine: Readonly<Record<string, string>> = { 'AssetParent.asset': 'parentAsset', 'Asset.id': 'assetId' };

/** The fields of the dataset of an asset that need no metadata. */
const keyOfDataset: ReadonlySet<string> = new Set(['__typename', 'id']);

/** The fields of a parent's asset that are its key. */
const keyOfAsset: ReadonlySet<string> = new Set(['__typename', 'id', 'datasetId', 'assetId']);

/** A selection on a page of series. */
export function compilePage(field: CompiledField, source: SelectionSource): CompiledPage {
  const fields = selectionOn('AssetSeriesConnection', field, source);
  const lists = new Map(fields.filter(isList).map((list) => [list, nodesOf(typeOfList(list), list, source)]));
  const binds = fields.map((each, index) => pageField(each, index, lists.get(each), source));
  const bindAll = (variables: Variables) => ({ fields: binds.map((bind) => bind(variables)) });
  const cursors = fields
    .filter(({ definition }) => definition.name === 'pageInfo')
    .flatMap((info) => selectionOn('PageInfo', info, source))
    .filter(({ definition }) => definition.name.endsWith('Cursor'));
  const first = fields[0];
  return {
    ...compiled(bindAll, [...lists.values()].flat(), field, source),
    lists: lists.size,
    startsWithList: first !== undefined && isList(first),
    pageCursors: cursors.length,
  };
}

/** A selection on one series. Metadata of its dataset are not known. */
export function compileSeries(field: CompiledField, source: SelectionSource): CompiledResults<Selection> {
  const nodes = nodesOf('AssetSeries', field, source);
  const all = compiled((variables) => selectionIn(nodes, variables), nodes, field, source);
  return all.metadata.length > 0 ? { ...all, bind: undefined } : all;
}

/** A field of a series that needs its rows. */
export function compileRows(field: CompiledField, source: SelectionSource): Bind<BoundField<Selection>> {
  return single(field, 'AssetSeries', (asked) => new Selection({ entries: [asked], isBare: true }), source);
}

/** A field of results that is computed from all entries. */
export function compileAggregate(field: CompiledField, source: SelectionSource): Bind<BoundField<Asked>> {
  return single(field, 'DatasetResults', (asked) => asked, source);
}

/** A field of its own. It is null with the error of an invalid condition in its selection. */
function single<T>(
  field: CompiledField,
  typeName: ObjectName,
  toValue: (asked: Asked) => T,
  source: SelectionSource,
): Bind<BoundField<T>> {
  const error = conditionErrorIn(field, source);
  if (error !== undefined) return () => ({ error });
  const node = nodeOf(typeName, field, source);
  return onceIfConstant([node], (variables): BoundField<T> => {
    const asked = bound(node, variables);
    const { error: invalid } = asked.origin as FieldOrigin;
    return invalid === undefined ? { value: toValue(asked) } : { error: invalid };
  });
}

/** @param nodes what is selected on each entry */
function compiled<T>(
  bind: Bind<T>,
  nodes: readonly Node[],
  field: CompiledField,
  source: SelectionSource,
): CompiledResults<T> {
  const all = flat(nodes);
  // An invalid condition outside of the fields that need rows is an error at each object that has the selection.
  const isExecuted = conditionErrorIn(field, source) !== undefined || all.some((node) => needsExecution(node, source));
  return {
    bind: isExecuted ? undefined : onceIfConstant(nodes, bind),
    hasAttributes: all.some(({ coordinate }) =>
      /^Asset\.(?!assetId$|id$|datasetId$|dataset$|__)|^AssetParent\./.test(coordinate),
    ),
    metadata: all.flatMap(({ metadata }) => metadata ?? []),
    selectsMetadata: all.some(
      (node) =>
        node.coordinate === 'AssetSeries.asset' && selectsMetadata(selectionOn('Asset', node.field, source), source),
    ),
  };
}

/** Binds once for all requests, if there are no variables. */
function onceIfConstant<T>(nodes: readonly Node[], bind: Bind<T>): Bind<T> {
  if (flat(nodes).some(({ field }) => field.nodes[0] !== undefined && usesVariables(field.nodes[0]))) return bind;
  let once: T | undefined;
  return () => {
    once ??= bind({});
    return once;
  };
}

function flat(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => [node, ...flat(node.select ?? [])]);
}

/** Whether a field needs more than the results and the metadata of their dataset. */
function needsExecution({ coordinate, field }: Node, source: SelectionSource): boolean {
  if (coordinate === 'AssetParent.asset') {
    return !selectionOn('Asset', field, source).every(({ definition }) => keyOfAsset.has(definition.name));
  }
  if (coordinate === 'Asset.dataset')
    return metadataFields(field, source).some(({ definition }) => !isLoadedMetadata(definition.name));
  return coordinate.startsWith('Asset.') && rowsOfAsset.has(field.definition.name);
}

function isList({ definition: { name } }: CompiledField): boolean {
  return name === 'nodes' || name === 'edges';
}

function typeOfList({ definition: { name } }: CompiledField): ObjectName {
  return name === 'nodes' ? 'AssetSeries' : 'AssetSeriesEdge';
}

function pageField(
  field: CompiledField,
  index: number,
  nodes: readonly Node[] | undefined,
  source: SelectionSource,
): Bind<PageField> {
  const { key, parentType, definition } = field;
  const common = { key, prefix: `${index === 0 ? '{' : ','}${JSON.stringify(key)}:` };
  if (nodes !== undefined) {
    const selection = onceIfConstant(nodes, (variables) => selectionIn(nodes, variables));
    return (variables) => ({ ...common, kind: 'list', selection: selection(variables) });
  }
  if (definition.name === '__typename') {
    return () => ({ ...common, kind: 'constant', json: JSON.stringify(parentType.name) });
  }
  const read = pageFields[definition.name as keyof typeof pageFields];
  const json = (page: PageEntries) => written(field, read(page), source).json;
  return () => ({ ...common, kind: 'page', json });
}

function selectionIn(nodes: readonly Node[], variables: Variables): Selection {
  return new Selection({ entries: nodes.map((node) => bound(node, variables)) });
}

function nodesOf(typeName: ObjectName, field: CompiledField, source: SelectionSource): Node[] {
  return selectionOn(typeName, field, source).map((each) => nodeOf(typeName, each, source));
}

function nodeOf(typeName: ObjectName | undefined, field: CompiledField, source: SelectionSource): Node {
  const { key, nodes, parentType, definition } = field;
  const { name } = definition;
  const coordinate = `${typeName}.${name}`;
  const asked = { key, field: namesInEngine[coordinate] ?? name, origin: { nodes } satisfies FieldOrigin };
  const node = { coordinate, field, asked, select: undefined };
  const constant = (args: NonNullable<Asked['args']>) => ({
    ...node,
    asked: { ...asked, field: 'constant' },
    args: () => args,
  });
  if (name === '__typename') return constant({ json: JSON.stringify(parentType.name) });
  if (coordinate === 'Asset.datasetId') return constant({ of: datasetIdIn });
  if (coordinate === 'Asset.dataset') {
    const selected = metadataFields(field, source).length > 0;
    const write: WriteMetadata = ({ dataset }) => writtenMetadata(field, dataset, selected, source);
    return { ...constant({ of: write }), metadata: selected ? write : undefined };
  }
  if (coordinate === 'AssetSeriesEdge.cursor') return { ...node, args: () => ({ text: cursorIn }) };
  if (coordinate === 'Asset.id') return { ...node, args: () => ({ text: globalIdIn }) };
  const select = selectionOf(field)?.map((each) => nodeOf(typesOf[coordinate], each, source));
  return { ...node, select, args: (variables) => checkArguments(argumentsOf(field, variables)) };
}

/** The fields on the dataset of an asset that need more than its id. */
function metadataFields(field: CompiledField, source: SelectionSource): CompiledFields {
  return selectionOn('Dataset', field, source).filter(({ definition }) => !keyOfDataset.has(definition.name));
}

function writtenMetadata(
  field: CompiledField,
  dataset: DatasetModel,
  selected: boolean,
  source: SelectionSource,
): Constant {
  const { json, errors } = written(field, metadataOfAsset(dataset, selected), source);
  return {
    json,
    errors: errors.map(({ path = [], nodes = [], originalError }) => ({
      path: path.slice(1).map(String),
      kind: 'wrongType',
      origin: { nodes, error: originalError } as FieldOrigin,
    })),
  };
}

/** The JSON of a field whose value is known, and the errors within it. */
function written(field: CompiledField, value: unknown, source: SelectionSource) {
  // What is written for each entry counts its errors.
  const execution = new Execution(source, { errors: new OperationErrors() });
  return { json: execution.valueOf(field, value), errors: execution.errors };
}

/** Binds a field to the variables of a request. If its arguments are invalid, it has their error. */
function bound({ asked, select, args }: Node, variables: Variables): Asked {
  const selected = select === undefined ? {} : { select: select.map((each) => bound(each, variables)) };
  try {
    return { ...asked, ...selected, args: args(variables) };
  } catch (error) {
    const { nodes } = asked.origin as FieldOrigin;
    return { ...asked, ...selected, invalid: (error as Error).message, origin: { nodes, error } };
  }
}

const datasetIdIn = ({ dataset }: WrittenDataset) => ({ json: JSON.stringify(dataset.id) });
const globalIdIn = (assetId: string, { dataset }: WrittenDataset) => toGlobalId(dataset.id, assetId);
const cursorIn = (index: number, assetId: string, { start }: WrittenDataset) => cursorOf(start + index, assetId);
