import type { FieldNode } from 'graphql';
import type { Asked, Selection } from '../../../engine/index.ts';
import { compileOperation } from '../execution/compile.ts';
import type { CompiledFields, OperationInfo } from '../execution/execution.ts';
import { type AssetPlan, type DatasetPlan, type DatasetSource, readAsset, readDataset } from './dataset-plan.ts';
import { conditionsOf, factsOf, type OperationFacts } from './operation-facts.ts';
import { type PagePlan, type ResultsPlan, type ResultsSource, readResults } from './results-needs.ts';
import { type Bind, type BoundField, type CompiledResults, ResultsSelection } from './results-selection.ts';
import type { SelectedField } from './selected-fields.ts';
import { Sizes } from './selection-size.ts';

/**
 * The plan of an operation: what its fields require of the service, and how their values are written. Each field is read once. The
 * plan depends only on the document and on the variables in `@skip` and `@include`. It holds no value of any other variable, so a
 * known document keeps it for further requests.
 */
export class OperationPlan implements DatasetSource, ResultsSource {
  /** Its variables are those in `@skip` and `@include`. */
  readonly source: OperationInfo;
  readonly facts: OperationFacts;
  #root: CompiledFields | undefined;
  readonly #sizes: Sizes;
  readonly #datasets = new Parts<DatasetPlan>();
  readonly #assets = new Parts<AssetPlan>();
  readonly #results = new Parts<ResultsPlan>();
  readonly #pages = new Parts<PagePlan>();
  readonly #series = new Parts<CompiledResults<Selection>>();
  readonly #rows = new Parts<Bind<BoundField<Selection>>>();
  readonly #aggregates = new Parts<Bind<BoundField<Asked>>>();
  readonly #fields = new Parts<number>();

  constructor(info: OperationInfo) {
    const { schema, operation, fragments } = info;
    this.source = { schema, operation, fragments, variableValues: conditionsOf(info) };
    this.facts = factsOf(info);
    this.#sizes = new Sizes(new Map(Object.entries(fragments)));
  }

  /** Its root fields, compiled for execution. @throws GraphQLError if a condition of a root field is null */
  get root(): CompiledFields {
    this.#root ??= compileOperation(this.source);
    return this.#root;
  }

  /** A field that returns datasets. */
  dataset(nodes: readonly FieldNode[]): DatasetPlan {
    return this.#datasets.get(nodes, () => readDataset(nodes, this));
  }

  /** A field that returns assets. */
  asset(nodes: readonly FieldNode[]): AssetPlan {
    return this.#assets.get(nodes, () => readAsset(nodes, this));
  }

  /** A field with the results of a dataset. @param field reads it, if it is not known yet */
  results(nodes: readonly FieldNode[], field: () => SelectedField): ResultsPlan {
    return this.#results.get(nodes, () => readResults(field(), this));
  }

  /** A field with a page of series. */
  page(nodes: readonly FieldNode[]): PagePlan {
    return this.#pages.get(nodes, () => this.#select().connection(nodes));
  }

  /** A field with one series. */
  series(nodes: readonly FieldNode[]): CompiledResults<Selection> {
    return this.#series.get(nodes, () => this.#select().series(nodes));
  }

  /** A field that needs the rows of a series. @param field as for `results` */
  rows(nodes: readonly FieldNode[], field: () => SelectedField): Bind<BoundField<Selection>> {
    return this.#rows.get(nodes, () => this.#select().rows(field()));
  }

  /** A field of results that is computed from all rows. @param field as for `results` */
  aggregate(nodes: readonly FieldNode[], field: () => SelectedField): Bind<BoundField<Asked>> {
    return this.#aggregates.get(nodes, () => this.#select().aggregate(field()));
  }

  /** The number of fields on each object that a field returns, with nested fields. */
  fieldsOn(nodes: readonly FieldNode[]): number {
    return this.#fields.get(nodes, () => {
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      return sets.reduce((sum, set) => sum + this.#sizes.of(set, 1).fields, 0);
    });
  }

  #select(): ResultsSelection {
    return new ResultsSelection(this.source);
  }
}

/** Parts of a plan, by the source position of their field: for example 57, or `57@120` for a field that is selected twice and merged. */
class Parts<Part> {
  readonly #parts = new Map<number | string, Part>();

  get(nodes: readonly FieldNode[], read: () => Part): Part {
    const position = positionOf(nodes);
    const known = this.#parts.get(position);
    if (known !== undefined) return known;
    const part = read();
    this.#parts.set(position, part);
    return part;
  }
}

function positionOf(nodes: readonly FieldNode[]): number | string {
  const [node] = nodes;
  return nodes.length === 1 ? (node?.loc?.start ?? -1) : nodes.map(({ loc }) => loc?.start).join('@');
}
