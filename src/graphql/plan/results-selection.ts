import type { FieldNode } from 'graphql';
import type {
  AssetSeriesColumnsArgs,
  AssetSeriesPeriodsArgs,
  AssetSeriesRowsArgs,
  AssetSeriesStatisticsArgs,
  DatasetResultsByDateArgs,
  ResultMetricsArgs,
  ResultValueArgs,
} from '../../generated/schema.ts';
import { attributeFields, namesOn } from '../../rest/contract/response-fields.ts';
import type {
  AggregateStep,
  AttributeCopies,
  AttributeName,
  AttributeStep,
  BoundField,
  BoundObject,
  ColumnsStep,
  ConnectionStep,
  EdgeStep,
  EntryJson,
  InvalidArguments,
  MetricStep,
  PageEntries,
  RowStep,
  RowsStep,
  SeriesStep,
} from '../../results/results.ts';
import { ByDate, Dates, Periods, Statistics } from '../../results/results.ts';
import {
  checkCount,
  checkMetricNames,
  distinctNames,
  tooManyDates,
  tooManyMetrics,
  tooManyPeriods,
  tooManyValues,
} from '../input.ts';
import { pageFields } from '../pages.ts';
import { isLoadedMetadata, rowsOfAsset, selectMetadata } from './loaded-fields.ts';
import { type FieldReader, type FieldReaders, ObjectJson, readProperty } from './object-json.ts';
import { quantileReaders } from './quantile-readers.ts';
import {
  conditionErrorIn,
  copiesIn,
  type ObjectName,
  objectNamed,
  type SelectedField,
  type SelectionSource,
  selectionOn,
  type Variables,
} from './selected-fields.ts';

/** The types that have an object for each entry. */
const perEntryTypes: ReadonlySet<ObjectName> = new Set(['AssetSeriesEdge', 'AssetSeries', 'SeriesColumns']);

/** The bytes of a value that is a number or null, with the end of its object. */
const VALUE_BYTES = 6;
/** The bytes of a cursor without those of the id: its quotes and its index. */
const CURSOR_BYTES = 20;

/** What is selected on something that is computed. */
interface Parts {
  readonly selected: ReadonlySet<string>;
  /** Whether an argument is a variable. */
  readonly usesVariables: boolean;
}

/** A compiled selection: binds it to the variables of a request. */
export type Bind<T> = (variables: Variables) => T;

/** What a selection writes for each entry of results, without its rows. */
export interface EntryCosts {
  /** How often each attribute is written. The id counts for cursors too. */
  readonly copies: AttributeCopies;
  /** How often the id of the dataset is written. */
  readonly datasetIds: number;
  /** The other bytes. */
  readonly bytesPerEntry: number;
  /** How many lists of a page have the entry. */
  readonly lists: number;
}

/** A compiled selection on results. */
export interface CompiledResults<T> extends EntryCosts {
  /** Undefined if the selection needs more than the results. Then GraphQL execution resolves it. */
  readonly bind: Bind<T> | undefined;
  /** How often the cursor of an entry is written for a whole page. */
  readonly pageCursors: number;
  /** How often the same text of the dataset's metadata is written for each entry, at most; 0 if none is selected. */
  readonly metadataCopies: number;
  /** Whether metadata is selected on the dataset of the assets. */
  readonly selectsMetadata: boolean;
  /** Whether the first field of a page is a list of its entries. */
  readonly startsWithList: boolean;
}

/**
 * Compiles a GraphQL selection on results for the series writer. The compiled selection depends only on the document and its
 * `@skip` and `@include`. Arguments are read when it is bound.
 */
export class ResultsSelection {
  readonly #source: SelectionSource;
  readonly #readers: FieldReaders;
  readonly #copies = new Map<AttributeName, number>();
  #datasetIds = 0;
  #bytesPerEntry = 0;
  #pageCursors = 0;
  #lists = 0;
  #metadataCopies = 0;
  #selectsMetadata = false;
  #startsWithList = false;
  #needsExecution = false;
  #usesVariables = false;

  /** @param readers read the fields of assets and of their dataset */
  constructor(source: SelectionSource, readers: FieldReaders) {
    this.#source = source;
    this.#readers = readers;
  }

  /** A selection on a page of series. */
  connection(nodes: readonly FieldNode[]): CompiledResults<BoundObject<ConnectionStep>> {
    this.#needsExecution = this.#hasInvalidCondition('AssetSeriesConnection', nodes);
    return this.#compiled(this.#connection(nodes));
  }

  /** A selection on one series. The model of its dataset has no metadata. */
  series(nodes: readonly FieldNode[]): CompiledResults<BoundObject<SeriesStep>> {
    this.#needsExecution = this.#hasInvalidCondition('AssetSeries', nodes);
    const bind = this.#series(nodes);
    if (this.#metadataCopies > 0) this.#needsExecution = true;
    return this.#compiled(bind);
  }

  /** A field of a series that needs its rows. */
  rows(field: SelectedField): Bind<BoundField<RowsStep | InvalidArguments>> {
    return this.#single(field, this.#rows(field));
  }

  /** A field of results that is computed from all rows. */
  aggregate(field: SelectedField): Bind<BoundField<AggregateStep | InvalidArguments>> {
    return this.#single(field, field.name === 'byDate' ? this.#byDate(field) : this.#statistics(field));
  }

  /** A field of its own. It is null with the error of an invalid condition in its selection. */
  #single<Step>(field: SelectedField, bind: Bind<Step>): Bind<BoundField<Step | InvalidArguments>> {
    this.#usesVariables ||= field.usesVariables;
    const origin = { key: field.responseKey, nodes: field.nodes, prefix: Buffer.alloc(0) };
    const error = conditionErrorIn(field.objectType, field.nodes, this.#source);
    if (error !== undefined) return () => ({ ...origin, step: { kind: 'invalidArguments', error } });
    return this.#bound((variables) => ({ ...origin, step: bind(variables) }));
  }

  /** An invalid condition outside of the fields that need rows is an error at each object that has the selection. */
  #hasInvalidCondition(typeName: ObjectName, nodes: readonly FieldNode[]): boolean {
    return conditionErrorIn(objectNamed(typeName, this.#source), nodes, this.#source) !== undefined;
  }

  #compiled<T>(bind: Bind<T>): CompiledResults<T> {
    return {
      bind: this.#needsExecution ? undefined : this.#bound(bind),
      copies: this.#copies,
      datasetIds: this.#datasetIds,
      bytesPerEntry: this.#bytesPerEntry,
      lists: this.#lists,
      pageCursors: this.#pageCursors,
      metadataCopies: this.#metadataCopies,
      selectsMetadata: this.#selectsMetadata,
      startsWithList: this.#startsWithList,
    };
  }

  /** Binds once for all requests, if there are no variables. */
  #bound<T>(bind: Bind<T>): Bind<T> {
    if (this.#usesVariables) return bind;
    const bound = bind({});
    return () => bound;
  }

  #connection(nodes: readonly FieldNode[]): Bind<BoundObject<ConnectionStep>> {
    let isFirst = true;
    return this.#object<ConnectionStep>('AssetSeriesConnection', nodes, (field) => {
      const isList = field.name === 'nodes' || field.name === 'edges';
      if (isFirst) this.#startsWithList = isList;
      isFirst = false;
      if (isList) this.#lists += 1;
      if (field.name === 'nodes') return bindTo('node', this.#series(field.nodes), { kind: 'nodes' as const });
      if (field.name === 'edges') return bindTo('edge', this.#edge(field.nodes), { kind: 'edges' as const });
      const toJson = new ObjectJson(this.#source).value(field, readPage);
      if (field.name === 'pageInfo') this.#pageCursors += this.#cursorsIn(field.nodes);
      const step = { kind: 'page' as const, json: (page: PageEntries) => toJson(page, { parent: undefined, key: '' }) };
      return () => step;
    });
  }

  #series(nodes: readonly FieldNode[]): Bind<BoundObject<SeriesStep>> {
    return this.#object<SeriesStep>('AssetSeries', nodes, (field) => {
      switch (field.name) {
        case 'asset': {
          const object = new ObjectJson(this.#source, this.#readers);
          const toPieces = object.pieces('Asset', field.nodes);
          this.#bytesPerEntry += object.literalBytes;
          const json: EntryJson = ({ dataset, latest }, path, errors) =>
            toPieces({ dataset, datasetId: dataset.id, assetId: latest.assetId, entry: latest }, path, errors);
          const copy = this.#asset(field.nodes);
          this.#selectsMetadata ||= selectMetadata(selectionOn('Asset', field.nodes, this.#source), this.#source);
          return () => ({ kind: 'entry', of: 'latest', copy, json });
        }
        case 'version': {
          const toJson = new ObjectJson(this.#source).value(field, readProperty);
          const json: EntryJson = ({ entry }, path, errors) => [toJson(entry, path, errors)];
          this.#countCopies('version', 1);
          return () => ({ kind: 'entry', of: 'entry', copy: attributesOfAsset.version, json });
        }
        default:
          return this.#rows(field);
      }
    });
  }

  /** How to copy the selected fields of an asset. Undefined if some are metadata of its dataset. */
  #asset(nodes: readonly FieldNode[]): AttributeStep | undefined {
    const before = this.#metadataCopies;
    const copy = this.#attributes('Asset', nodes, attributesOfAsset, 'any');
    return this.#metadataCopies === before ? copy : undefined;
  }

  /**
   * How to copy the selected attributes: an object of fields, each of an attribute.
   *
   * @param steps the fields that it may have
   * @param needs which of their attributes it needs, or it is null
   */
  #attributes(
    typeName: 'Asset' | 'AssetParent' | 'Dataset' | 'GeoPoint',
    nodes: readonly FieldNode[],
    steps: Readonly<Record<string, AttributeStep>>,
    needs: 'all' | 'any',
  ): AttributeStep {
    const bind = this.#object<AttributeStep>(typeName, nodes, ({ name, nodes: selected }) => {
      if (name === 'centroid') {
        const step = this.#attributes('GeoPoint', selected, attributesOfCentroid, 'all');
        return () => step;
      }
      if (name === 'parent') {
        const step = this.#attributes('AssetParent', selected, attributesOfParent, 'any');
        return () => step;
      }
      if (name === 'asset') {
        const step = this.#attributes('Asset', selected, keyOfParent, 'all');
        const fields = selectionOn('Asset', selected, this.#source);
        if (fields.some((field) => field.name !== '__typename' && !(field.name in keyOfParent)))
          this.#needsExecution = true;
        return () => step;
      }
      if (name === 'dataset') {
        this.#metadata(selected);
        const step = this.#attributes('Dataset', selected, keyOfDataset, 'all');
        return () => step;
      }
      // A selection with another field needs execution, and is not bound.
      if (rowsOfAsset.has(name)) this.#needsExecution = true;
      const step = steps[name] as AttributeStep;
      if (step?.kind === 'attribute') this.#countCopies(step.attribute, 1);
      else if (step?.kind === 'datasetId') this.#datasetIds += 1;
      else if (step?.kind === 'globalId') {
        // Base64 is longer than what it encodes.
        this.#countCopies(step.of, 2);
        this.#datasetIds += 2;
      }
      return () => step;
    });
    const attributes = Object.values(steps).flatMap((step) => (step.kind === 'attribute' ? [step.attribute] : []));
    return { kind: 'object', attributes, needs, object: bind({}) };
  }

  /** A selection on the dataset of an asset. Its metadata is written as JSON; the rest needs execution. */
  #metadata(nodes: readonly FieldNode[]): void {
    const fields = selectionOn('Dataset', nodes, this.#source).filter(
      ({ name }) => name !== '__typename' && name !== 'id',
    );
    if (fields.some(({ name }) => !isLoadedMetadata(name))) this.#needsExecution = true;
    if (fields.length > 0) this.#metadataCopies += copiesIn(fields, this.#source);
  }

  #edge(nodes: readonly FieldNode[]): Bind<BoundObject<EdgeStep>> {
    return this.#object<EdgeStep>('AssetSeriesEdge', nodes, (field) => {
      if (field.name === 'node') return bindTo('node', this.#series(field.nodes), { kind: 'node' as const });
      this.#countCopies('assetId', 2);
      this.#bytesPerEntry += CURSOR_BYTES;
      return () => ({ kind: 'cursor' });
    });
  }

  #rows(field: SelectedField): Bind<RowsStep | InvalidArguments> {
    if (field.name === 'rows') return this.#listOfRows(field);
    if (field.name === 'columns') return this.#columns(field);
    if (field.name === 'latest') return bindTo('row', this.#row(field.nodes), { kind: 'latest' as const });
    if (field.name === 'statistics') return this.#statistics(field);
    if (field.name === 'periods') return this.#periods(field);
    const step = { kind: field.name === 'metricNames' ? ('metricNames' as const) : ('rowCount' as const) };
    return () => step;
  }

  #listOfRows(field: SelectedField): Bind<RowsStep | InvalidArguments> {
    const row = this.#row(field.nodes);
    return orInvalidArguments((variables) => {
      const { first, offset = 0 } = field.args<AssetSeriesRowsArgs>(variables);
      checkCount('first', first);
      checkCount('offset', offset);
      return { kind: 'rows', first: first ?? Number.POSITIVE_INFINITY, offset, row: row(variables) };
    });
  }

  #row(nodes: readonly FieldNode[]): Bind<BoundObject<RowStep>> {
    return this.#object<RowStep>('Result', nodes, (field) => {
      if (field.name === 'valueDate') return () => ({ kind: 'valueDate' });
      if (field.name === 'value') {
        return orInvalidArguments((variables) => ({
          kind: 'value',
          metric: field.args<ResultValueArgs>(variables).metric,
        }));
      }
      const metric = this.#nameAndValue('Metric', 'value', field.nodes);
      return orInvalidArguments((variables) => {
        const { metrics: names } = field.args<ResultMetricsArgs>(variables);
        checkMetricNames(names);
        return { kind: 'metrics', names: names ? new Set(names) : undefined, metric };
      });
    });
  }

  #columns(field: SelectedField): Bind<RowsStep | InvalidArguments> {
    const columns = this.#object<ColumnsStep>('SeriesColumns', field.nodes, (part) => {
      if (part.name === 'metrics') {
        const step = { kind: 'metrics' as const, column: this.#nameAndValue('MetricColumn', 'values', part.nodes) };
        return () => step;
      }
      const step = { kind: part.name === 'rowCount' ? ('rowCount' as const) : ('valueDates' as const) };
      return () => step;
    });
    return orInvalidArguments((variables) => {
      const { metrics, points } = field.args<AssetSeriesColumnsArgs>(variables);
      checkCount('points', points);
      return {
        kind: 'columns',
        metrics: distinctNames(metrics),
        points: points ?? undefined,
        columns: columns(variables),
      };
    });
  }

  #statistics(field: SelectedField): Bind<AggregateStep | InvalidArguments> {
    const parts = this.#partsOf('MetricStatistics', field.nodes);
    const list = this.#withQuantiles(parts, (json) => json.list('MetricStatistics', field.nodes));
    return orInvalidArguments((variables) => {
      const metrics = distinctNames(field.args<AssetSeriesStatisticsArgs>(variables).metrics);
      const json = list(variables);
      return {
        kind: 'aggregate',
        metrics,
        start: () => new Statistics(tooManyMetrics, tooManyValues, parts.selected),
        key: JSON.stringify(['statistics', metrics, parts.selected.has('quantiles')]),
        json: (value, path, errors) => json(value as Iterable<object>, path, errors),
      };
    });
  }

  #byDate(field: SelectedField): Bind<AggregateStep | InvalidArguments> {
    const bindParts = this.#aggregatesByDate(field);
    return orInvalidArguments((variables) => {
      const metrics = distinctNames(field.args<DatasetResultsByDateArgs>(variables).metrics);
      const { selected, ...step } = bindParts(variables, metrics, 'all dates');
      return { ...step, start: () => new ByDate(new Dates(), tooManyDates, tooManyValues, selected) };
    });
  }

  #periods(field: SelectedField): Bind<AggregateStep | InvalidArguments> {
    const bindParts = this.#aggregatesByDate(field);
    return orInvalidArguments((variables) => {
      const { every, metrics } = field.args<AssetSeriesPeriodsArgs>(variables);
      const { selected, ...step } = bindParts(variables, distinctNames(metrics), every);
      return { ...step, start: () => new ByDate(new Periods(every), tooManyPeriods, tooManyValues, selected) };
    });
  }

  /** A selection on values by date: what is common to all ways of grouping them. */
  #aggregatesByDate({ nodes }: SelectedField) {
    const parts = this.#partsOf('AggregatesByDate', nodes);
    const pieces = this.#withQuantiles(parts, (json) => json.pieces('AggregatesByDate', nodes));
    const { selected } = parts;
    return (variables: Variables, metrics: readonly string[] | undefined, groups: string) => {
      const key = JSON.stringify([groups, metrics, ...selected]);
      return { kind: 'aggregate' as const, metrics, selected, key, json: pieces(variables) };
    };
  }

  /** Compiles a selection that may have quantiles. If their argument is a variable, it does so for each request. */
  #withQuantiles<T>({ usesVariables }: Parts, compile: (json: ObjectJson) => T): Bind<T> {
    const bind = (variables: Variables) => compile(new ObjectJson(this.#source, quantileReaders(variables)));
    if (usesVariables) return bind;
    const compiled = bind({});
    return () => compiled;
  }

  /** What is selected on something that is computed: the names of fields, also of those on its metrics. */
  #partsOf(typeName: 'MetricStatistics' | 'AggregatesByDate' | 'MetricAggregates', nodes: readonly FieldNode[]): Parts {
    const fields = selectionOn(typeName, nodes, this.#source);
    const metrics = fields.filter(({ name }) => typeName === 'AggregatesByDate' && name === 'metrics');
    const within = metrics.map((field) => this.#partsOf('MetricAggregates', field.nodes));
    const usesVariables = [...fields, ...within].some((each) => each.usesVariables);
    this.#usesVariables ||= usesVariables;
    const names = [...fields.map(({ name }) => name).toSorted(), ...within.flatMap(({ selected }) => [...selected])];
    return { selected: new Set(names), usesVariables };
  }

  #nameAndValue(
    typeName: 'Metric' | 'MetricColumn',
    value: string,
    nodes: readonly FieldNode[],
  ): BoundObject<MetricStep> {
    const bind = this.#object<MetricStep>(typeName, nodes, (field) => {
      const step = { kind: field.name === value ? ('value' as const) : ('name' as const) };
      return () => step;
    });
    return bind({});
  }

  #object<Step>(
    typeName: ObjectName,
    nodes: readonly FieldNode[],
    toStep: (field: SelectedField) => Bind<Step>,
  ): Bind<BoundObject<Step>> {
    const fields = selectionOn(typeName, nodes, this.#source).map((field, index) => {
      const prefix = Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(field.responseKey)}:`);
      const origin = { key: field.responseKey, nodes: field.nodes, prefix };
      this.#usesVariables ||= field.usesVariables;
      const json = field.name === '__typename' ? JSON.stringify(field.parentType) : undefined;
      if (perEntryTypes.has(typeName)) this.#bytesPerEntry += prefix.length + (json?.length ?? VALUE_BYTES);
      if (json === undefined) return { origin, bind: toStep(field) };
      const step = { kind: 'constant', json: Buffer.from(json) } as Step;
      return { origin, bind: () => step };
    });
    return (variables) => ({ fields: fields.map(({ origin, bind }) => ({ ...origin, step: bind(variables) })) });
  }

  /** The number of cursors in page info. */
  #cursorsIn(nodes: readonly FieldNode[]): number {
    return selectionOn('PageInfo', nodes, this.#source).filter(({ name }) => name.endsWith('Cursor')).length;
  }

  #countCopies(attribute: AttributeName, times: number): void {
    this.#copies.set(attribute, (this.#copies.get(attribute) ?? 0) + times);
  }
}

/** Reads a field of a page. */
const readPage: FieldReader = (page, name) => pageFields[name as keyof typeof pageFields](page as PageEntries);

/** A step with a nested bound selection. */
function bindTo<K extends string, T, S extends object>(key: K, bind: Bind<T>, step: S): Bind<S & Record<K, T>> {
  return (variables) => ({ ...step, [key]: bind(variables) }) as S & Record<K, T>;
}

/** Wraps a function of arguments: if it throws, the arguments are invalid. */
export function orInvalidArguments<A, T>(use: (given: A) => T): (given: A) => T | InvalidArguments {
  return (given) => {
    try {
      return use(given);
    } catch (error) {
      return { kind: 'invalidArguments', error: error as Error };
    }
  };
}

/** How fields are copied from results: those that are attributes, by the names of these. */
function stepsOf<Names extends Readonly<Record<string, AttributeName>>>(
  names: Names,
): Record<keyof Names, AttributeStep> {
  const steps = Object.entries(names).map(([field, attribute]) => {
    const [, type] = attributeFields[attribute];
    return [field, { kind: 'attribute', attribute, isInt64: type === 'int64' }];
  });
  return Object.fromEntries(steps);
}

const attributesOfAsset = {
  id: { kind: 'globalId', of: 'assetId' } as AttributeStep,
  datasetId: { kind: 'datasetId' } as AttributeStep,
  ...stepsOf(namesOn(attributeFields, 'Asset')),
};
const attributesOfCentroid = stepsOf(namesOn(attributeFields, 'GeoPoint'));
const attributesOfParent = stepsOf(namesOn(attributeFields, 'AssetParent'));
const keyOfDataset = { id: attributesOfAsset.datasetId };
const keyOfParent = {
  id: { kind: 'globalId', of: 'parentId' } as AttributeStep,
  datasetId: attributesOfAsset.datasetId,
  assetId: attributesOfParent.assetId,
};
