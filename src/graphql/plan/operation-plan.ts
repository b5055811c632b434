import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import type { Asked, Selection } from '../../../engine/index.ts';
import { compileOperation } from '../execution/compile.ts';
import {
  type CompiledField,
  type CompiledFields,
  FieldInfo,
  type OperationInfo,
  type ResponsePath,
} from '../execution/execution.ts';
import { type AssetPlan, type DatasetPlan, type DatasetSource, readAsset, readDataset } from './dataset-plan.ts';
import { factsOf, type OperationFacts } from './operation-facts.ts';
import { type ResultsPlan, type ResultsSource, readResults } from './results-needs.ts';
import {
  type Bind,
  type BoundField,
  type CompiledPage,
  type CompiledResults,
  compileAggregate,
  compilePage,
  compileRows,
  compileSeries,
} from './results-selection.ts';
import { Parts } from './selected-fields.ts';
import { Sizes } from './selection-size.ts';

/**
 * The plan of an operation: what its fields require of the service, and how their values are written. Each field is compiled and read
 * once. The plan depends only on the document and on the variables in `@skip` and `@include`. It holds no value of any other variable,
 * so a known document keeps it for further requests.
 */
export class OperationPlan implements DatasetSource, ResultsSource {
  /** Its variables are those in `@skip` and `@include`. */
  readonly source: OperationInfo;
  readonly facts: OperationFacts;
  #root: CompiledFields | undefined;
  readonly #sizes: Sizes;
  /** The fields that return datasets. */
  readonly datasets: Parts<DatasetPlan> = new Parts((field) => readDataset(field, this));
  /** The fields that return assets. */
  readonly assets: Parts<AssetPlan> = new Parts((field) => readAsset(field, this));
  /** The fields with the results of a dataset. */
  readonly results: Parts<ResultsPlan> = new Parts((field) => readResults(field, this));
  /** The fields with a page of series. */
  readonly pages: Parts<CompiledPage> = new Parts((field) => compilePage(field, this.source));
  /** The fields with one series. */
  readonly series: Parts<CompiledResults<Selection>> = new Parts((field) => compileSeries(field, this.source));
  /** The fields that need the rows of a series. */
  readonly rows: Parts<Bind<BoundField<Selection>>> = new Parts((field) => compileRows(field, this.source));
  /** The fields of results that are computed from all rows. */
  readonly aggregates: Parts<Bind<BoundField<Asked>>> = new Parts((field) => compileAggregate(field, this.source));
  /** The number of fields on each object that a field returns, with nested fields. */
  readonly fieldCounts: Parts<number> = new Parts(({ nodes }) => {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return sets.reduce((sum, set) => sum + this.#sizes.of(set, 1).fields, 0);
  });

  constructor(info: OperationInfo, facts: OperationFacts = factsOf(info)) {
    const { schema, operation, fragments } = info;
    const conditions = facts.conditionNames.map((name) => [name, info.variableValues[name]]);
    this.source = { schema, operation, fragments, variableValues: Object.fromEntries(conditions) };
    this.facts = facts;
    this.#sizes = new Sizes(new Map(Object.entries(fragments)));
  }

  /** Its root fields, compiled for execution. @throws GraphQLError if a condition of a root field is null */
  get root(): CompiledFields {
    this.#root ??= compileOperation(this.source);
    return this.#root;
  }

  /** The field that is resolved, by this subgraph or by graphql-js. */
  fieldOf(info: GraphQLResolveInfo): CompiledField {
    return info instanceof FieldInfo ? info.field : this.#fieldAt(info.path);
  }

  #fieldAt({ key, typename, prev }: ResponsePath): CompiledField {
    let parent = prev;
    while (typeof parent?.key === 'number') parent = parent.prev;
    const type = this.source.schema.getType(typename ?? '');
    const isRoot = parent === undefined || !isObjectType(type);
    const fields = isRoot ? this.root : this.#fieldAt(parent as ResponsePath).selections.on(type);
    const field = fields.find((each) => each.key === key);
    if (field === undefined) throw new Error('The plan has no such field.');
    return field;
  }
}
