import type { GraphQLResolveInfo } from 'graphql';
import type { Asked, Selection } from '../../../engine/index.ts';
import type { BoundPage } from '../../results/results.ts';
import { type AssetPlan, type BoundAsset, type BoundDataset, bindAsset, bindDataset } from './dataset-plan.ts';
import { OperationPlan } from './operation-plan.ts';
import { printAsset, printDataset } from './printed-plan.ts';
import { BoundResults, type ResultsPlan } from './results-needs.ts';
import type { BoundField, CompiledPage, CompiledResults } from './results-selection.ts';
import type { Parts } from './selected-fields.ts';

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
