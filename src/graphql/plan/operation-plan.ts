import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import type { Asked, Selection } from '../../../engine/index.ts';
import type { BoundPage } from '../../results/results.ts';
import { compileOperation } from '../execution/compile.ts';
import {
  type CompiledField,
  type CompiledFields,
  FieldInfo,
  type OperationInfo,
  type ResponsePath,
} from '../execution/execution.ts';
import {
  type AssetPlan,
  type BoundAsset,
  type BoundDataset,
  bindAsset,
  bindDataset,
  type DatasetPlan,
  type DatasetSource,
  readAsset,
  readDataset,
} from './dataset-plan.ts';
import { factsOf, type OperationFacts } from './operation-facts.ts';
import { printAsset, printDataset } from './printed-plan.ts';
import { BoundResults, type ResultsPlan, type ResultsSource, readResults } from './results-requirements.ts';
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

/** A compiled selection with what it is under the variables of a request: undefined if GraphQL execution has to resolve it. */
export interface BoundSelection<T, Compiled = CompiledResults<T>> {
  readonly compiled: Compiled;
  readonly bound: T | undefined;
}

/** The parts of the plan of an operation. */
type PartsName = {
  [Name in keyof OperationPlan]: OperationPlan[Name] extends Parts<unknown> ? Name : never;
}[keyof OperationPlan];
type PartOf<Name extends PartsName> = OperationPlan[Name] extends Parts<infer Part> ? Part : never;

/** The plan of one request's operation, bound to the variables of the request: each part once, for all objects. */
export class RequestPlan {
  #operation: OperationPlan | undefined;
  readonly #bound = new Map<object, unknown>();
  /** In the order in which their fields were resolved first. */
  readonly #datasets = new Set<BoundDataset>();
  readonly #assets: BoundAsset[] = [];

  /** Uses the plan of the operation that is executed. A request for a trace makes one of its own. */
  setOperation(operation: OperationPlan): void {
    this.#operation = operation;
  }

  /** What a field that returns datasets requires of the service. */
  dataset(info: GraphQLResolveInfo): BoundDataset {
    const plan = this.#of(info, 'datasets');
    const dataset =
      plan.bound ??
      this.bind(plan, () =>
        bindDataset(plan, info.variableValues, {
          results: (results) => this.#results(results, info),
          asset: (asset) => this.#asset(asset, info),
        }),
      );
    this.#datasets.add(dataset);
    return dataset;
  }

  /** What a field with the results of a dataset requires. */
  results(info: GraphQLResolveInfo): BoundResults {
    const plan = this.#of(info, 'results');
    return this.#results(plan, info);
  }

  /** What a field that returns assets requires. */
  asset(info: GraphQLResolveInfo): BoundAsset {
    const plan = this.#of(info, 'assets');
    return this.#asset(plan, info);
  }

  /** How a page of series is written. */
  page(info: GraphQLResolveInfo): BoundSelection<BoundPage, CompiledPage> {
    const compiled = this.#of(info, 'pages');
    return this.bind(compiled, () => ({ compiled, bound: compiled.bind?.(info.variableValues) }));
  }

  /** How one series is written. */
  series(info: GraphQLResolveInfo): BoundSelection<Selection> {
    const compiled = this.#of(info, 'series');
    return this.bind(compiled, () => ({ compiled, bound: compiled.bind?.(info.variableValues) }));
  }

  /** How a field that needs the rows of a series is written. */
  rows(info: GraphQLResolveInfo): BoundField<Selection> {
    const bind = this.#of(info, 'rows');
    return this.bind(bind, () => bind(info.variableValues));
  }

  /** How a field of results that is computed from all rows is written. */
  aggregate(info: GraphQLResolveInfo): BoundField<Asked> {
    const bind = this.#of(info, 'aggregates');
    return this.bind(bind, () => bind(info.variableValues));
  }

  /** The number of fields that are selected on each object that a field returns. */
  fieldsOn(info: GraphQLResolveInfo): number {
    return this.#of(info, 'fieldCounts');
  }

  /** Binds something of the document to this request, once. */
  bind<Part extends object, T>(part: Part, bind: (part: Part) => T): T {
    const known = this.#bound.get(part);
    if (known !== undefined) return known as T;
    const bound = bind(part);
    this.#bound.set(part, bound);
    return bound;
  }

  /** The plan as text, line by line: each field that requires something of the service, and what it requires. */
  *print(): Generator<string> {
    const printed = new Set<BoundAsset>();
    for (const dataset of this.#datasets) {
      yield* printDataset(dataset);
      for (const { asset } of dataset.assets) printed.add(asset);
    }
    for (const asset of this.#assets) if (!printed.has(asset)) yield printAsset(asset);
  }

  /** The part of the plan that belongs to the field that is resolved. */
  #of<Name extends PartsName>(info: GraphQLResolveInfo, parts: Name): PartOf<Name> {
    this.#operation ??= new OperationPlan(info);
    return this.#operation[parts].of(this.#operation.fieldOf(info)) as PartOf<Name>;
  }

  #results(plan: ResultsPlan, { variableValues }: GraphQLResolveInfo): BoundResults {
    return this.bind(plan, () => new BoundResults(plan, variableValues));
  }

  #asset(plan: AssetPlan, { variableValues }: GraphQLResolveInfo): BoundAsset {
    return this.bind(plan, () => {
      const asset = bindAsset(plan, variableValues);
      this.#assets.push(asset);
      return asset;
    });
  }
}
