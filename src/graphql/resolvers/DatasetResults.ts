import type { GraphQLResolveInfo } from 'graphql';
import { type Asked, fieldTypes } from '../../../engine/index.ts';
import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import type { Loaders } from '../../loaders/loaders.ts';
import type { PageEntries, Results, StreamedResults } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { checkCount } from '../input.ts';
import type { OperationBudget } from '../limits.ts';
import type { DatasetModel, DatasetResultsModel } from '../models.ts';
import { checkCursor, cursorAt, positionAfter } from '../pages.ts';
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
  { budget, response }: OperationContext,
  info: GraphQLResolveInfo,
): Results['processingId'] {
  const { streamed, [name]: id } = results;
  // It may come behind the assets.
  if (id === undefined && streamed !== undefined) return response.addPlaceholder(info, streamed.writeId(name));
  if (typeof id === 'string') budget.spendText(id.length, 1);
  return id;
}

/** Charges the cursors of the page info of a page. */
function spendPageCursors(count: number, { entries, start, end }: PageEntries, budget: OperationBudget): void {
  if (start === end) return;
  budget.spendWork(count * Math.max(cursorAt(entries, start).length, cursorAt(entries, end - 1).length));
}

/** Something that is computed from all rows. */
function aggregateOf(
  model: DatasetResultsModel,
  _args: object,
  { response, plan }: OperationContext,
  info: GraphQLResolveInfo,
): Error | null | undefined {
  const results = loaded(model);
  const { value, error } = plan.aggregate(info);
  if (error !== undefined) return error;
  const { assets } = results;
  if (assets === null || assets === undefined || assets instanceof Error) return assets;
  return response.addPlaceholder(info, results.writeAll(value as Asked));
}

const aggregates = Object.fromEntries(Object.keys(fieldTypes.results).map((name) => [name, aggregateOf])) as Pick<
  DatasetResultsResolvers,
  keyof typeof fieldTypes.results
>;

/** The distinct names of the metrics of all entries. */
export function namesOf(
  results: Results,
  { response }: OperationContext,
  info: GraphQLResolveInfo,
): Error | null | undefined {
  const { assets } = results;
  if (assets === null || assets === undefined || assets instanceof Error) return assets;
  return response.addPlaceholder(info, results.writeNames());
}

/** The results of one filter: their pages of series, what is made of all of them, and their files. */
export const DatasetResults: DatasetResultsResolvers = {
  processingId: (model, _args, context, info) => idOf(loaded(model), 'processingId', context, info),
  sourceId: (model, _args, context, info) => idOf(loaded(model), 'sourceId', context, info),
  ...aggregates,
  metricNames: (model, _args, context, info) => namesOf(loaded(model), context, info),
  ...resultsFiles,
  series: (model, { first, after }, context, info) => {
    const { response, plan, budget, loaders } = context;
    const isWhole = (first ?? after ?? null) === null;
    if (!isWhole) {
      // Checked once for all objects, because creating an error is slow.
      const { error } = plan.bind(info.fieldNodes, () =>
        errorIn(() => {
          checkCount('first', first);
          checkCursor(after);
        }),
      );
      if (error !== undefined) return error as never;
    }
    const { datasetId } = model;
    const results = loaded(model);
    const { assets, streamed } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    const { compiled, bound } = plan.page(info);
    const { metadata, pageCursors, hasAttributes } = compiled;
    const start = streamed === undefined && !isWhole ? positionAfter(after, assets) : 0;
    const page = { entries: assets, start, end: Math.min(assets.length, start + (first ?? assets.length)) };
    if (streamed === undefined && pageCursors > 0) spendPageCursors(pageCursors, page, budget);
    if (bound === undefined) {
      budget.spendFields(page.end - start, info);
      return { ...page, at: (index) => results.seriesAt(datasetId, index) };
    }
    const write = (dataset: DatasetModel) => {
      const written = { dataset, start };
      // It is the same for each entry, and cannot be null.
      const bytes = metadata.reduce((sum, each) => sum + Buffer.byteLength(each(written).json), 0);
      if (bytes > 0) budget.checkWork((page.end - start) * bytes);
      const writing =
        streamed === undefined
          ? results.writePage(bound, page, written)
          : results.writeStreamed(bound, streamed as StreamedResults, hasAttributes, written);
      return response.addPlaceholder(info, writing);
    };
    return metadata.length > 0 ? datasetOf(datasetId, loaders).then(write) : write({ id: datasetId, metadata: null });
  },
};

/** The error of arguments, if they have one. */
function errorIn(check: () => void): { readonly error?: Error } {
  try {
    check();
    return {};
  } catch (error) {
    return { error: error as Error };
  }
}
