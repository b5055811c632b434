/** How the fields of an asset, its centroid, its parent and its dataset are copied from results. */

import type { AttributeName, AttributeStep } from '../results/results.ts';

export const attributesOfAsset: Readonly<Record<string, AttributeStep>> = {
  datasetId: { kind: 'datasetId' },
  assetId: textOrNumber('id'),
  name: textOrNumber('name'),
  version: int64Of('version'),
  categories: textOrNumber('categories'),
  surfaceAreaM2: textOrNumber('surfaceAreaM2'),
};
export const keyOfDataset: Readonly<Record<string, AttributeStep>> = { id: { kind: 'datasetId' } };
export const keyOfParent = {
  datasetId: attributesOfAsset.datasetId as AttributeStep,
  assetId: textOrNumber('parentId'),
};
export const attributesOfCentroid = { latitude: textOrNumber('latitude'), longitude: textOrNumber('longitude') };
export const attributesOfParent = {
  assetId: textOrNumber('parentId'),
  name: textOrNumber('parentName'),
  version: int64Of('parentVersion'),
};

function textOrNumber(attribute: AttributeName): AttributeStep {
  return { kind: 'attribute', attribute, isInt64: false };
}

export function int64Of(attribute: AttributeName): AttributeStep {
  return { kind: 'attribute', attribute, isInt64: true };
}
