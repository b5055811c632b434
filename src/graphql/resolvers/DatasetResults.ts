import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import { checkCount } from '../input.ts';
import { orInvalidArguments, ResultsSelection } from '../results-selection.ts';
import { readAsset } from './Asset.ts';
import { cursorAt, positionAfter, readPage } from './AssetSeriesConnection.ts';

export const DatasetResults: DatasetResultsResolvers = {
  processingId: ({ results }) => results.processingId,
  sourceId: ({ results }) => results.sourceId,
  series: ({ datasetId, results }, { first, after }, { raw, selections, budget }, info) => {
    // Checked once for all objects, because creating an error is slow.
    const invalid = selections.bind(
      info.fieldNodes,
      orInvalidArguments(() => checkCount('first', first)),
    );
    if (invalid !== undefined) return invalid.error as never;
    const { assets } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    const start = positionAfter(after, assets);
    const end = Math.min(assets.length, start + (first ?? assets.length));
    const page = results.page(datasetId, assets, start, end);
    if (raw === undefined) return page;
    const compiled = selections.get('AssetSeriesConnection', info, (source) =>
      new ResultsSelection(source, readAsset).connection(readPage),
    );
    const { bind, copies, bytesPerEntry } = compiled;
    if (bind === undefined) {
      results.bailOut();
      budget.spendFields(end - start, info);
      budget.spendText(results.bytes, copies - 1);
      return page;
    }
    budget.spendWork((end - start) * bytesPerEntry + (copies - 1) * results.bytes);
    const bound = selections.bind(compiled, () => bind(info.variableValues));
    return raw.addPlaceholder(
      info,
      page.write(bound, (index) => cursorAt(assets, index)),
    );
  },
};
