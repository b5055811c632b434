import type { GraphQLResolveInfo } from 'graphql';
import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import type { Loaders } from '../../loaders/loaders.ts';
import type {
  AggregateStep,
  ArrivingAssets,
  ArrivingUses,
  BoundField,
  DatasetOfResults,
  PageEntries,
  Results,
} from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { checkCount } from '../input.ts';
import type { OperationBudget } from '../limits.ts';
import type { DatasetModel, DatasetResultsModel } from '../models.ts';
import { checkCursor, cursorAt, cursorOf, positionAfter } from '../pages.ts';
import { orInvalidArguments } from '../plan/results-selection.ts';
import { jsonBytesIn } from '../plan/selection-size.ts';
import { resultsFiles } from './results-files.ts';

/** The results of a field that needs them. */
function loaded({ results }: DatasetResultsModel): Results {
  if (results === null) throw new Error('The plan missed a field that needs the results.');
  return results;
}

/** The dataset with its metadata, or with the error of their call. */
async function datasetOf(id: string, loaders: Loaders): Promise<DatasetModel> {
  return { id, metadata: await loaders.metadata(id).catch((error: Error) => error) };
}

/** An id of results. The service decides how long it is, and the client how often it is selected. */
function idOf(
  results: Results,
  name: 'processingId' | 'sourceId',
  { budget, raw }: OperationContext,
  info: GraphQLResolveInfo,
): Results['processingId'] {
  const id = results[name];
  // It may come behind the assets.
  if (id === undefined && results.arriving !== undefined)
    return raw.addPlaceholder(info, results.arriving.writeId(name));
  if (typeof id === 'string') budget.spendText(id.length, 1);
  return id;
}

/** Charges the cursors of the page info of a page, if there are any. */
function spendPageCursors(count: number, { entries, start, end }: PageEntries, budget: OperationBudget): void {
  if (count === 0 || start === end) return;
  budget.spendWork(count * Math.max(cursorAt(entries, start).length, cursorAt(entries, end - 1).length));
}

/** The series of a response that passes to the client while it arrives. The plan says that its selection allows it. */
function arrivingSeries(
  results: Results,
  arriving: ArrivingAssets,
  datasetId: string,
  { raw, plan, budget, loaders }: OperationContext,
  info: GraphQLResolveInfo,
): never | Promise<never> {
  const { compiled, bound } = plan.page(info);
  const { metadataCopies, pageCursors, copies } = compiled;
  if (bound === undefined) throw new Error('The plan missed a field that needs all results.');
  const write = (dataset: DatasetOfResults, metadataBytes: number) => {
    const charge: ArrivingUses['charge'] = (entries, start, end) => {
      budget.spendEntries(compiled, datasetId, entries, start, end, {});
      budget.spendWork((end - start) * metadataBytes);
    };
    budget.spendFirstEntries(arriving.readPart, () => charge(arriving.table, 0, arriving.table.length));
    const isUnique = [...copies.keys()].some((attribute) => attribute !== 'assetId');
    const ended: ArrivingUses['ended'] = (page) => spendPageCursors(pageCursors, page, budget);
    const page = results.arrivingPage(dataset, arriving, { latest: isUnique, charge, ended });
    return raw.addPlaceholder(info, page.write(bound, cursorOf));
  };
  if (metadataCopies === 0) return write({ id: datasetId }, 0);
  return datasetOf(datasetId, loaders).then((dataset) =>
    write(dataset, metadataCopies * jsonBytesIn(dataset.metadata ?? {})),
  );
}

/** Something that is computed from all rows. */
function aggregateOf(
  model: DatasetResultsModel,
  _args: object,
  { raw, plan }: OperationContext,
  info: GraphQLResolveInfo,
): Error | null | undefined {
  const results = loaded(model);
  const { assets } = results;
  const bound = plan.aggregate(info);
  if (bound.step.kind === 'invalidArguments') return bound.step.error;
  if (assets === null || assets === undefined || assets instanceof Error) return assets;
  return raw.addPlaceholder(info, results.writeAggregate(bound as BoundField<AggregateStep>));
}

/** The distinct names of the metrics of all entries. */
export function namesOf(
  results: Results,
  { raw }: OperationContext,
  info: GraphQLResolveInfo,
): Error | null | undefined {
  const { assets } = results;
  if (assets === null || assets === undefined || assets instanceof Error) return assets;
  return raw.addPlaceholder(info, results.writeNames());
}

/** The results of one filter: their pages of series, what is made of all of them, and their files. */
export const DatasetResults: DatasetResultsResolvers = {
  processingId: (model, _args, context, info) => idOf(loaded(model), 'processingId', context, info),
  sourceId: (model, _args, context, info) => idOf(loaded(model), 'sourceId', context, info),
  metricNames: (model, _args, context, info) => namesOf(loaded(model), context, info),
  statistics: aggregateOf,
  byDate: aggregateOf,
  ...resultsFiles,
  series: (model, { first, after }, context, info) => {
    const { raw, plan, budget, loaders } = context;
    // Checked once for all objects, because creating an error is slow.
    const invalid = plan.bind(
      info.fieldNodes,
      orInvalidArguments(() => {
        checkCount('first', first);
        checkCursor(after);
      }),
    );
    if (invalid !== undefined) return invalid.error as never;
    const { datasetId } = model;
    const results = loaded(model);
    const { assets } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    if (results.arriving !== undefined) return arrivingSeries(results, results.arriving, datasetId, context, info);
    const start = positionAfter(after, assets);
    const end = Math.min(assets.length, start + (first ?? assets.length));
    const pageOf = (dataset: DatasetOfResults) => results.page(dataset, assets, start, end);
    const { compiled, bound } = plan.page(info);
    const { metadataCopies, pageCursors } = compiled;
    spendPageCursors(pageCursors, { entries: assets, start, end }, budget);
    if (bound === undefined) {
      budget.spendFields(end - start, info);
      budget.spendExecutedEntries(compiled.copies, assets, start, end);
      return pageOf({ id: datasetId });
    }
    budget.spendEntries(compiled, datasetId, assets, start, end);
    const write = (dataset: DatasetOfResults) =>
      raw.addPlaceholder(
        info,
        pageOf(dataset).write(bound, (index) => cursorAt(assets, index)),
      );
    if (metadataCopies === 0) return write({ id: datasetId });
    return datasetOf(datasetId, loaders).then((dataset) => {
      budget.spendWork((end - start) * metadataCopies * jsonBytesIn(dataset.metadata ?? {}));
      return write(dataset);
    });
  },
};
