import { fieldTypes } from '../../../engine/index.ts';
import type { DatasetResultsArgs, DatasetResultsSeriesArgs } from '../../generated/schema.ts';
import type { RowsFilter } from '../../loaders/loaders.ts';
import type { Requirements, StreamRequirements } from '../../results/results.ts';
import type { CompiledField, CompiledFields } from '../execution/execution.ts';
import { toRowsFilter } from '../input.ts';
import { indexIn, isCursorOrAbsent } from '../pages.ts';
import type { OperationFacts } from './operation-facts.ts';
import type { CompiledPage } from './results-selection.ts';
import {
  argumentsOf,
  fieldsNamed,
  ignoreErrors,
  type Parts,
  type SelectionSource,
  selectionOn,
  type Variables,
} from './selected-fields.ts';

/** What a field with the results of a dataset requires. It depends on no variable but those of `@skip` and `@include`. */
export interface ResultsPlan {
  readonly field: CompiledField;
  /** Its fields with series. */
  readonly pages: readonly Paged[];
  /** Whether metadata is selected on the dataset of its assets. */
  readonly assetMetadata: boolean;
  /** Whether it needs the results, and not only the URL of a file. Series after an invalid cursor need none. */
  readonly isNeeded: (variables: Variables) => boolean;
  /**
   * What it needs of the results; undefined if all of them have to be kept.
   *
   * @throws GraphQLError if an argument is invalid
   */
  readonly requirements: (variables: Variables) => Requirements | undefined;
}

/** What plans of results are read from. */
export interface ResultsSource {
  readonly source: SelectionSource;
  readonly facts: OperationFacts;
  readonly pages: Parts<CompiledPage>;
}

/** A field with series, with its page. */
export interface Paged {
  readonly field: CompiledField;
  readonly page: CompiledPage;
}

/** Reads the selection on the results of a dataset. */
export function readResults(field: CompiledField, plan: ResultsSource): ResultsPlan {
  const fields = selectionOn('DatasetResults', field, plan.source);
  const pages = fieldsNamed(fields, 'series').map((series) => ({ field: series, page: plan.pages.of(series) }));
  const assetMetadata = pages.some(({ page }) => page.selectsMetadata);
  return {
    field,
    pages,
    assetMetadata,
    isNeeded: needsResults(fields),
    requirements: requirementsOf(fields, pages, plan),
  };
}

/** The fields of results that are files, which are made when they are downloaded. */
const filesOfResults: ReadonlySet<string> = new Set([
  'rowsFile',
  'seriesPeriodsFile',
  'seriesStatisticsFile',
  'byDateFile',
]);

function needsResults(fields: CompiledFields): ResultsPlan['isNeeded'] {
  const hasFile = fieldsNamed(fields, ...filesOfResults).length > 0;
  const needing = fields.filter(({ definition: { name } }) => name !== '__typename' && !filesOfResults.has(name));
  const after = fieldsNamed(needing, 'series').filter((field) => hasArgument(field, 'after'));
  if (after.length === 0 || after.length < needing.length) return () => needing.length > 0 || !hasFile;
  return (variables) =>
    after.some((field) =>
      ignoreErrors(() => argumentsOf<DatasetResultsSeriesArgs>(field, variables).after).some(isCursorOrAbsent),
    );
}

function hasArgument({ nodes: [first] }: CompiledField, argument: string): boolean {
  return first?.arguments?.some(({ name }) => name.value === argument) === true;
}

function requirementsOf(
  fields: CompiledFields,
  paged: readonly Paged[],
  { facts: { selectsResultsOnce, nestsResults } }: ResultsSource,
): ResultsPlan['requirements'] {
  const aggregates = fieldsNamed(fields, ...aggregatesOfResults);
  const streaming =
    selectsResultsOnce &&
    (aggregates.length === 0 ? streamRequirements(fields, paged) : rowStreamRequirements(fields, paged));
  if (streaming) return () => streaming;
  // Execution may ask for the rows of an asset of the page, or for its parent, when the response has been read.
  const isExecutedPage = paged.some(({ page }) => page.bind === undefined);
  const holdsAll = nestsResults || isExecutedPage || aggregates.length > 0;
  return holdsAll ? () => undefined : firstAssets(paged, hasNames(fields));
}

/** Whether the names of the metrics are selected: they need all entries. */
function hasNames(fields: CompiledFields): boolean {
  return fieldsNamed(fields, 'metricNames').length > 0;
}

/**
 * All entries are needed, once and in their order, so they may pass to the client while they arrive. What comes behind them in the
 * response need not be known before.
 */
function streamRequirements(
  fields: CompiledFields,
  [only, ...others]: readonly Paged[],
): StreamRequirements | undefined {
  if (only === undefined || others.length > 0 || hasArguments(only.field)) return undefined;
  const { bind, lists, startsWithList } = only.page;
  if (bind === undefined || lists !== 1 || !startsWithList || hasNames(fields)) return undefined;
  return idsIn(fields.slice(0, fields.indexOf(only.field)));
}

/** The fields of results that are computed from all rows. Names can be collected from those of the first entries, too. */
const aggregatesOfResults: ReadonlySet<string> = new Set(
  Object.keys(fieldTypes.results).filter((name) => name !== 'metricNames'),
);

/**
 * The last field is computed from all rows, and nothing else needs the entries: they are read once, while they arrive. If the
 * response breaks off, this field is null with the error; so nothing may come behind it.
 */
function rowStreamRequirements(fields: CompiledFields, paged: readonly Paged[]): StreamRequirements | undefined {
  const [only, ...others] = fieldsNamed(fields, ...aggregatesOfResults);
  if (paged.length > 0 || hasNames(fields) || others.length > 0 || only !== fields.at(-1)) return undefined;
  return idsIn(fields.slice(0, -1));
}

/** Which ids of results are selected. */
function idsIn(fields: CompiledFields): StreamRequirements {
  const has = (name: string) => fieldsNamed(fields, name).length > 0;
  return { processingId: has('processingId'), sourceId: has('sourceId') };
}

/** Only the first entries are needed: those of pages, and those that cursors refer to. @param names whether the names of the metrics of all are */
function firstAssets(paged: readonly Paged[], names: boolean): ResultsPlan['requirements'] {
  const series = paged.map(({ field, page }) => ({
    field,
    // Otherwise it needs only the number of entries.
    hasEntries: page.lists + page.pageCursors > 0,
  }));
  if (series.some(({ field, hasEntries }) => hasEntries && !hasArguments(field))) return () => undefined;
  return (variables) => {
    const ends = series.map(({ field, hasEntries }) => {
      const { first, after } = argumentsOf<DatasetResultsSeriesArgs>(field, variables);
      const start = typeof after === 'string' ? indexIn(after) + 1 : 0;
      return start + (hasEntries ? (first ?? Number.POSITIVE_INFINITY) : 0);
    });
    const first = Math.max(0, ...ends);
    return Number.isFinite(first) ? { first, names } : undefined;
  };
}

function hasArguments({ nodes }: CompiledField): boolean {
  return nodes.some((node) => (node.arguments ?? []).length > 0);
}

type ConvertedFilter = { readonly value: RowsFilter } | { readonly error: unknown };

/** The same under the variables of a request. */
export class BoundResults {
  readonly isNeeded: boolean;
  readonly requirements: Requirements | undefined;
  readonly plan: ResultsPlan;
  /** The number of asset ids in the filter, with repetitions; 0 if an argument is invalid. */
  readonly assetIds: number;
  readonly #variables: Variables;
  #filter: ConvertedFilter | undefined;

  constructor(plan: ResultsPlan, variables: Variables) {
    this.plan = plan;
    this.#variables = variables;
    this.isNeeded = plan.isNeeded(variables);
    this.requirements = this.isNeeded ? ignoreErrors(() => plan.requirements(variables))[0] : undefined;
    const [args] = ignoreErrors(() => argumentsOf<DatasetResultsArgs>(plan.field, variables));
    this.assetIds = args?.filter?.assetIds?.length ?? 0;
  }

  /** The filter. It is converted once, because an error is slow to make. @throws GraphQLError if it is invalid */
  get filter(): RowsFilter {
    try {
      const { field } = this.plan;
      this.#filter ??= { value: toRowsFilter(argumentsOf<DatasetResultsArgs>(field, this.#variables).filter) };
    } catch (error) {
      this.#filter = { error };
    }
    if ('error' in this.#filter) throw this.#filter.error;
    return this.#filter.value;
  }
}
