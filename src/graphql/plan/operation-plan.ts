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
  readonly #datasets = new Parts<DatasetPlan>((field) => readDataset(field, this));
  readonly #assets = new Parts<AssetPlan>((field) => readAsset(field, this));
  readonly #results = new Parts<ResultsPlan>((field) => readResults(field, this));
  readonly #pages = new Parts<CompiledPage>((field) => compilePage(field, this.source));
  readonly #series = new Parts<CompiledResults<Selection>>((field) => compileSeries(field, this.source));
  readonly #rows = new Parts<Bind<BoundField<Selection>>>((field) => compileRows(field, this.source));
  readonly #aggregates = new Parts<Bind<BoundField<Asked>>>((field) => compileAggregate(field, this.source));
  readonly #fields = new Parts<number>(({ nodes }) => {
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

  /** A field that returns datasets. */
  dataset(field: CompiledField): DatasetPlan {
    return this.#datasets.of(field);
  }

  /** A field that returns assets. */
  asset(field: CompiledField): AssetPlan {
    return this.#assets.of(field);
  }

  /** A field with the results of a dataset. */
  results(field: CompiledField): ResultsPlan {
    return this.#results.of(field);
  }

  /** A field with a page of series. */
  page(field: CompiledField): CompiledPage {
    return this.#pages.of(field);
  }

  /** A field with one series. */
  series(field: CompiledField): CompiledResults<Selection> {
    return this.#series.of(field);
  }

  /** A field that needs the rows of a series. */
  rows(field: CompiledField): Bind<BoundField<Selection>> {
    return this.#rows.of(field);
  }

  /** A field of results that is computed from all rows. */
  aggregate(field: CompiledField): Bind<BoundField<Asked>> {
    return this.#aggregates.of(field);
  }

  /** The number of fields on each object that a field returns, with nested fields. */
  fieldsOn(field: CompiledField): number {
    return this.#fields.of(field);
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

/** Parts of a plan, each read of its field once. */
class Parts<Part> {
  readonly #read: (field: CompiledField) => Part;
  readonly #parts = new Map<CompiledField, Part>();

  constructor(read: (field: CompiledField) => Part) {
    this.#read = read;
  }

  of(field: CompiledField): Part {
    const known = this.#parts.get(field);
    if (known !== undefined) return known;
    const part = this.#read(field);
    this.#parts.set(field, part);
    return part;
  }
}
