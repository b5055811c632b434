import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type {
  AssetSeriesColumnsArgs,
  AssetSeriesResultsArgs,
  ResolversTypes,
  ResultMetricsArgs,
  ResultValueArgs,
} from '../generated/resolvers.ts';
import { Decline } from '../results/decline.ts';
import type {
  ColumnsStep,
  ConnectionStep,
  EdgeStep,
  MetricStep,
  ObjectPlan,
  RowStep,
  SeriesStep,
} from '../results/plan.ts';
import { checkCount } from './input.ts';
import { type SelectedField, selectionOn } from './look-ahead.ts';

/** How the value of a field is got from its object, for the objects that are small enough to be made. */
export type FieldReader = (source: object, field: string) => unknown;

/**
 * Compiles a GraphQL selection on results into a plan for the fast way. Throws Decline where the selection needs more
 * than the answer, or would be reported as an error.
 */
export class ResultsSelection {
  readonly #info: GraphQLResolveInfo;
  readonly #variables: GraphQLResolveInfo['variableValues'];
  readonly #readAsset: FieldReader;

  constructor(info: GraphQLResolveInfo, readAsset: FieldReader) {
    this.#info = info;
    this.#variables = info.variableValues;
    this.#readAsset = readAsset;
  }

  /** A selection on a page of series. */
  connection(nodes: readonly FieldNode[], readPage: FieldReader): ObjectPlan<ConnectionStep> {
    return this.#object<ConnectionStep>('AssetSeriesConnection', nodes, (field) => {
      if (field.name === 'nodes') return { kind: 'nodes', node: this.series(field.nodes) };
      if (field.name === 'edges') return { kind: 'edges', edge: this.#edge(field.nodes) };
      const toJson = this.#value('PageInfo', field, readPage);
      return { kind: 'page', json: toJson };
    });
  }

  /** A selection on one series. */
  series(nodes: readonly FieldNode[]): ObjectPlan<SeriesStep> {
    return this.#object<SeriesStep>('AssetSeries', nodes, (field) => {
      switch (field.name) {
        case 'resultCount':
        case 'metricNames':
          return { kind: field.name };
        case 'results':
          return this.#results(field);
        case 'columns':
          return this.#columns(field);
        case 'asset': {
          const toJson = this.#plainObject('Asset', field.nodes, this.#readAsset);
          return {
            kind: 'entry',
            json: ({ datasetId, latest }) => toJson({ datasetId, assetId: latest.assetId, entry: latest }),
          };
        }
        default:
          return { kind: 'entry', json: ({ entry }) => toJson(entry.version) };
      }
    });
  }

  #edge(nodes: readonly FieldNode[]): ObjectPlan<EdgeStep> {
    return this.#object<EdgeStep>('AssetSeriesEdge', nodes, (field) =>
      field.name === 'node' ? { kind: 'node', node: this.series(field.nodes) } : { kind: 'cursor' },
    );
  }

  #results(field: SelectedField): SeriesStep {
    const { first, offset = 0 } = field.args<AssetSeriesResultsArgs>(this.#variables);
    checkCount('first', first);
    checkCount('offset', offset);
    return { kind: 'results', first: first ?? Number.POSITIVE_INFINITY, offset, row: this.#row(field.nodes) };
  }

  #row(nodes: readonly FieldNode[]): ObjectPlan<RowStep> {
    return this.#object<RowStep>('Result', nodes, (field) => {
      if (field.name === 'valueDate') return { kind: 'valueDate' };
      if (field.name === 'value') return { kind: 'value', metric: field.args<ResultValueArgs>(this.#variables).metric };
      const { names } = field.args<ResultMetricsArgs>(this.#variables);
      return {
        kind: 'metrics',
        names: names ? new Set(names) : undefined,
        metric: this.#nameAndValue('Metric', 'value', field.nodes),
      };
    });
  }

  #columns(field: SelectedField): SeriesStep {
    const { metrics } = field.args<AssetSeriesColumnsArgs>(this.#variables);
    const columns = this.#object<ColumnsStep>('SeriesColumns', field.nodes, (part) => {
      if (part.name === 'metrics') {
        return { kind: 'metrics', column: this.#nameAndValue('MetricColumn', 'values', part.nodes) };
      }
      return { kind: part.name === 'rowCount' ? 'rowCount' : 'valueDates' };
    });
    return { kind: 'columns', metrics: metrics ? [...new Set(metrics)] : undefined, columns };
  }

  #nameAndValue(
    typeName: 'Metric' | 'MetricColumn',
    value: string,
    nodes: readonly FieldNode[],
  ): ObjectPlan<MetricStep> {
    return this.#object<MetricStep>(typeName, nodes, (field) => ({ kind: field.name === value ? 'value' : 'name' }));
  }

  #object<Step>(
    typeName: keyof ResolversTypes,
    nodes: readonly FieldNode[],
    toStep: (field: SelectedField) => Step | { kind: 'constant'; json: Buffer },
  ): ObjectPlan<Step> {
    const fields = selectionOn(typeName, nodes, this.#info).map((field, index) => ({
      prefix: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(field.responseKey)}:`),
      step: (field.name === '__typename'
        ? { kind: 'constant', json: jsonText(field.parentType) }
        : toStep(field)) as Step,
    }));
    return { fields };
  }

  /** An object that is small enough to be made: each field is read, and turned into JSON. */
  #plainObject(typeName: keyof ResolversTypes, nodes: readonly FieldNode[], read: FieldReader) {
    const fields = selectionOn(typeName, nodes, this.#info).map((field) => {
      const prefix = `${JSON.stringify(field.responseKey)}:`;
      if (field.name === '__typename') return () => prefix + JSON.stringify(field.parentType);
      if (field.name === 'series') throw Decline.selection;
      const nested = field.name === 'centroid' ? 'GeoPoint' : 'AssetParent';
      const toText = this.#value(nested, field, read);
      return (source: object) => prefix + toText(source);
    });
    return (source: object) => `{${fields.map((field) => field(source)).join()}}`;
  }

  /** A field of such an object; its value is a scalar, a list of scalars, or an object of the nested type. */
  #value(nestedType: keyof ResolversTypes, field: SelectedField, read: FieldReader): (source: object) => string {
    const hasSelection = field.nodes.some((node) => node.selectionSet !== undefined);
    const nested = hasSelection
      ? this.#plainObject(nestedType, field.nodes, (source, name) => source[name as keyof typeof source])
      : undefined;
    return (source) => {
      const value = read(source, field.name);
      return nested === undefined || value === null || value === undefined ? toJson(value) : nested(value);
    };
  }
}

function jsonText(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}

/** A scalar or a list of scalars as its GraphQL type sends it. */
function toJson(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Error) throw Decline.wrongType;
  return typeof value === 'bigint' ? `"${value}"` : JSON.stringify(value);
}
