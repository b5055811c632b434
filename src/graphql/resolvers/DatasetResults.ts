import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import { writeConnection } from '../../results/series-writer.ts';
import { checkCount } from '../input.ts';
import { ResultsSelection } from '../results-selection.ts';
import { readAsset } from './Asset.ts';
import { cursorAt, positionAfter, readPage } from './AssetSeriesConnection.ts';

export const DatasetResults: DatasetResultsResolvers = {
  processingId: ({ results }) => results.processingId,
  sourceId: ({ results }) => results.sourceId,
  series: ({ datasetId, results }, { first, after }, { raw, selections, budget }, info) => {
    const refused = selections.bind(info.fieldNodes, () => refusalOf(() => checkCount('first', first)));
    if (refused !== undefined) return refused.error as never;
    const { assets, latest } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    const start = positionAfter(after, assets);
    const end = Math.min(assets.length, start + (first ?? assets.length));
    const page = { datasetId, entries: assets, latest, start, end };
    if (raw === undefined) return page;
    const compiled = selections.get('AssetSeriesConnection', info, () =>
      new ResultsSelection(info, readAsset).connection(readPage),
    );
    const { bind, copies, bytesPerEntry } = compiled;
    if (bind === undefined) {
      raw.bailOut();
      budget.spendFields(end - start, info);
      budget.spendText(results.bytes, copies - 1);
      return page;
    }
    budget.spendWork((end - start) * bytesPerEntry + (copies - 1) * results.bytes);
    const plan = selections.bind(compiled, () => bind(info.variableValues));
    return raw.insert(
      info,
      writeConnection(page, plan, (index) => cursorAt(assets, index)),
    );
  },
};

/** Why an argument is refused; undefined where it is not. Found out once, however many objects there are. */
function refusalOf(check: () => void): { readonly error: Error } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return { error: error as Error };
  }
}
