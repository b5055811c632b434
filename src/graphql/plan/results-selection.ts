import type { FieldNode } from 'graphql';
import { type Asked, type Constant, Selection } from '../../../engine/index.ts';
import { toGlobalId } from '../../core/global-id.ts';
import type { BoundPage, PageEntries, PageField } from '../../results/results.ts';
import { checkCount, checkMetricNames, checkQuantiles } from '../input.ts';
import type { DatasetModel } from '../models.ts';
import { cursorOf, pageFields } from '../pages.ts';
import { datasetReaders, isLoadedMetadata, readDatasetOfAsset, rowsOfAsset, selectMetadata } from './loaded-fields.ts';
import { type ErrorOfPart, type FieldReader, ObjectJson, type Path } from './object-json.ts';
import {
  conditionErrorIn,
  type ObjectName,
  objectNamed,
  type SelectedField,
  type SelectionSource,
  selectionOf,
  selectionOn,
  type Variables,
} from './selected-fields.ts';

/** A compiled selection: binds it to the variables of a request. */
export type Bind<T> = (variables: Variables) => T;

/** A compiled selection on results. */
export interface CompiledResults<T> {
  /** Undefined if the selection needs more than the results. Then GraphQL execution resolves it. */
  readonly bind: Bind<T> | undefined;
  /** Whether attributes of assets are selected that may differ between the entries of an asset. */
  readonly hasAttributes: boolean;
  /** How many lists of a page are selected. */
  readonly lists: number;
  /** How often the cursor of an entry is written for a whole page. */
  readonly pageCursors: number;
  /** What metadata is written for each entry. */
  readonly metadata: readonly WriteMetadata[];
  /** Whether metadata is selected on the dataset of the assets. */
  readonly selectsMetadata: boolean;
  /** Whether the first field of a page is a list of its entries. */
  readonly startsWithList: boolean;
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
  readonly asked: Omit<Asked, 'select' | 'args' | 'invalid'>;
  readonly select: readonly Node[] | undefined;
  /** The arguments. @throws GraphQLError if they are invalid */
  readonly args: (variables: Variables) => NonNullable<Asked['args']>;
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

/** The fields of a parent's asset that are its key. */
const keyOfAsset: ReadonlySet<string> = new Set(['__typename', 'id', 'datasetId', 'assetId']);

/**
 * Compiles a GraphQL selection on results for the engine. The compiled selection depends only on the document and its `@skip` and
 * `@include`. Arguments are read when it is bound.
 */
export class ResultsSelection {
  readonly #source: SelectionSource;
  #pageCursors = 0;
  #lists = 0;
  #hasAttributes = false;
  readonly #metadata: WriteMetadata[] = [];
  #selectsMetadata = false;
  #startsWithList = false;
  #needsExecution = false;
  #usesVariables = false;

  constructor(source: SelectionSource) {
    this.#source = source;
  }

  /** A selection on a page of series. */
  connection(nodes: readonly FieldNode[]): CompiledResults<BoundPage> {
    this.#needsExecution = this.#hasInvalidCondition('AssetSeriesConnection', nodes);
    const fields = selectionOn('AssetSeriesConnection', nodes, this.#source).map((field, index) =>
      this.#pageField(field, index),
    );
    return this.#compiled((variables) => ({ fields: fields.map((bind) => bind(variables)) }));
  }

  /** A selection on one series. Metadata of its dataset are not known. */
  series(nodes: readonly FieldNode[]): CompiledResults<Selection> {
    this.#needsExecution = this.#hasInvalidCondition('AssetSeries', nodes);
    const fields = this.#fields('AssetSeries', nodes);
    if (this.#metadata.length > 0) this.#needsExecution = true;
    return this.#compiled((variables) => new Selection({ entries: fields.map((each) => bound(each, variables)) }));
  }

  /** A field of a series that needs its rows. */
  rows(field: SelectedField): Bind<BoundField<Selection>> {
    return this.#single(field, 'AssetSeries', (asked) => new Selection({ entries: [asked], isBare: true }));
  }

  /** A field of results that is computed from all entries. */
  aggregate(field: SelectedField): Bind<BoundField<Asked>> {
    return this.#single(field, 'DatasetResults', (asked) => asked);
  }

  /** A field of its own. It is null with the error of an invalid condition in its selection. */
  #single<T>(field: SelectedField, typeName: ObjectName, toValue: (asked: Asked) => T): Bind<BoundField<T>> {
    const error = conditionErrorIn(field.objectType, field.nodes, this.#source);
    if (error !== undefined) return () => ({ error });
    const node = this.#node(typeName, field);
    return this.#bound((variables): BoundField<T> => {
      const asked = bound(node, variables);
      const { error: invalid } = asked.origin as FieldOrigin;
      return invalid === undefined ? { value: toValue(asked) } : { error: invalid };
    });
  }

  /** An invalid condition outside of the fields that need rows is an error at each object that has the selection. */
  #hasInvalidCondition(typeName: ObjectName, nodes: readonly FieldNode[]): boolean {
    return conditionErrorIn(objectNamed(typeName, this.#source), nodes, this.#source) !== undefined;
  }

  #compiled<T>(bind: Bind<T>): CompiledResults<T> {
    return {
      bind: this.#needsExecution ? undefined : this.#bound(bind),
      hasAttributes: this.#hasAttributes,
      lists: this.#lists,
      pageCursors: this.#pageCursors,
      metadata: this.#metadata,
      selectsMetadata: this.#selectsMetadata,
      startsWithList: this.#startsWithList,
    };
  }

  /** Binds once for all requests, if there are no variables. */
  #bound<T>(bind: Bind<T>): Bind<T> {
    if (this.#usesVariables) return bind;
    let once: T | undefined;
    return () => {
      once ??= bind({});
      return once;
    };
  }

  #pageField(field: SelectedField, index: number): Bind<PageField> {
    const { name, nodes, responseKey: key, parentType } = field;
    const common = { key, prefix: `${index === 0 ? '{' : ','}${JSON.stringify(key)}:` };
    const isList = name === 'nodes' || name === 'edges';
    if (index === 0) this.#startsWithList = isList;
    if (name === '__typename') return () => ({ ...common, kind: 'constant', json: JSON.stringify(parentType) });
    if (!isList) {
      if (name === 'pageInfo') this.#pageCursors += this.#cursorsIn(nodes);
      const toJson = new ObjectJson(this.#source).value(field, readPage);
      const json = (page: PageEntries) => toJson(page, { parent: undefined, key: '' });
      return () => ({ ...common, kind: 'page', json });
    }
    this.#lists += 1;
    const fields = this.#fields(name === 'nodes' ? 'AssetSeries' : 'AssetSeriesEdge', nodes);
    const selection = this.#bound(
      (variables) => new Selection({ entries: fields.map((each) => bound(each, variables)) }),
    );
    return (variables) => ({ ...common, kind: 'list', selection: selection(variables) });
  }

  #fields(typeName: ObjectName, nodes: readonly FieldNode[]): Node[] {
    return selectionOn(typeName, nodes, this.#source).map((field) => this.#node(typeName, field));
  }

  #node(typeName: ObjectName | undefined, field: SelectedField): Node {
    const { name, responseKey: key, nodes } = field;
    const coordinate = `${typeName}.${name}`;
    this.#usesVariables ||= field.usesVariables;
    const asked = { key, field: namesInEngine[coordinate] ?? name, origin: { nodes } satisfies FieldOrigin };
    const constant = this.#constant(coordinate, field);
    if (constant !== undefined)
      return { asked: { ...asked, field: 'constant' }, select: undefined, args: () => constant };
    if (coordinate === 'AssetSeriesEdge.cursor') return { asked, select: undefined, args: () => ({ text: cursorIn }) };
    if (coordinate === 'Asset.id') return { asked, select: undefined, args: () => ({ text: globalIdIn }) };
    this.#note(typeName, field);
    const select = selectionOf(field, this.#source)?.map((each) => this.#node(typesOf[coordinate], each));
    return { asked, select, args: (variables) => checkArguments(field.args(variables)) };
  }

  /** Notes what the fields of assets need. */
  #note(typeName: ObjectName | undefined, field: SelectedField): void {
    const { name, nodes } = field;
    if (typeName === 'Asset' && rowsOfAsset.has(name)) this.#needsExecution = true;
    if (typeName === 'AssetParent' && name === 'asset') {
      const isKey = selectionOn('Asset', nodes, this.#source).every((each) => keyOfAsset.has(each.name));
      if (!isKey) this.#needsExecution = true;
    }
    if (typeName === 'AssetSeries' && name === 'asset')
      this.#selectsMetadata ||= selectMetadata(selectionOn('Asset', nodes, this.#source), this.#source);
    if ((typeName === 'Asset' && name !== 'assetId') || typeName === 'AssetParent') this.#hasAttributes = true;
  }

  /** The arguments of a value that is the same for all entries. Undefined for any other field. */
  #constant(coordinate: string, field: SelectedField): NonNullable<Asked['args']> | undefined {
    if (field.name === '__typename') return { json: JSON.stringify(field.parentType) };
    if (coordinate === 'Asset.datasetId') return { of: datasetIdIn };
    return coordinate === 'Asset.dataset' ? { of: this.#dataset(field) } : undefined;
  }

  /** A selection on the dataset of an asset. Its metadata is written as JSON; the rest needs execution. */
  #dataset(field: SelectedField): WriteMetadata {
    const others = selectionOn('Dataset', field.nodes, this.#source).filter(
      ({ name }) => name !== '__typename' && name !== 'id',
    );
    if (others.some(({ name }) => !isLoadedMetadata(name))) this.#needsExecution = true;
    const toJson = new ObjectJson(this.#source, datasetReaders).value(field, readDatasetOfAsset);
    const write: WriteMetadata = ({ dataset }) => {
      const errors: { path: string[]; kind: 'wrongType'; origin: FieldOrigin }[] = [];
      const add: ErrorOfPart = (path, nodes, error) =>
        errors.push({ path: keysOf(path), kind: 'wrongType', origin: { nodes, error } });
      return { json: toJson({ dataset }, { parent: undefined, key: '' }, { add }), errors };
    };
    if (others.length > 0) this.#metadata.push(write);
    return write;
  }

  /** The number of cursors in page info. */
  #cursorsIn(nodes: readonly FieldNode[]): number {
    return selectionOn('PageInfo', nodes, this.#source).filter(({ name }) => name.endsWith('Cursor')).length;
  }
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

/** Reads a field of a page. */
const readPage: FieldReader = (page, name) => pageFields[name as keyof typeof pageFields](page as PageEntries);

/** The keys of a path behind the first one. */
function keysOf(path: Path | undefined): string[] {
  const keys: string[] = [];
  for (let part = path; part?.parent !== undefined; part = part.parent) keys.unshift(String(part.key));
  return keys;
}
