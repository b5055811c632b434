import { selection } from './random-selection.ts';

/** Random selections on what an asset leads to: its dataset and its parent. See results-selections.ts. */

const named = (type: string) =>
  selection(type, [
    { weight: 1, name: 'id' },
    { weight: 1, name: 'name' },
  ]);

/** The dataset of an asset. The last fields need more than its metadata. */
export const datasetOfAsset = selection('Dataset', [
  { weight: 6, name: 'id' },
  { weight: 6, name: 'name' },
  { weight: 6, name: 'assetCount' },
  { weight: 6, name: 'sharing' },
  { weight: 6, name: 'processing', items: named('DatasetProcessing') },
  { weight: 6, name: 'source', items: named('DatasetSource') },
  { weight: 6, name: 'startDate' },
  { weight: 1, name: 'stopDateTime' },
  { weight: 1, name: 'seriesCount' },
  { weight: 1, name: 'metricNames' },
  {
    weight: 1,
    name: 'assetsByIds',
    args: ['(assetIds: ["b", "nobody"])'],
    items: selection('Asset', [
      { weight: 1, name: 'assetId' },
      { weight: 1, name: 'name' },
    ]),
  },
]);

/** The parent as an asset. The last fields need more than its key. */
const assetOfParent = selection('Asset', [
  { weight: 3, name: 'id' },
  { weight: 6, name: 'datasetId' },
  { weight: 6, name: 'assetId' },
  { weight: 1, name: 'name' },
  { weight: 1, name: 'metricNames' },
  { weight: 1, name: 'dataset', items: datasetOfAsset },
]);

/** The parent of an asset. */
export const parent = selection('AssetParent', [
  { weight: 2, name: 'assetId' },
  { weight: 2, name: 'name' },
  { weight: 2, name: 'version' },
  { weight: 1, name: 'asset', items: assetOfParent },
]);
