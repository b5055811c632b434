import { getLocation } from 'graphql';
import { printFilter, printTimeRange } from '../../loaders/printed-calls.ts';
import type { AssetPlan, BoundAsset, BoundDataset } from './dataset-plan.ts';
import type { BoundResults } from './results-requirements.ts';

/**
 * Prints what a field that returns datasets requires of the service, as text. A field has its response key, and its line and column
 * in the document:
 *
 *     dataset 1:3
 *       metadata: name
 *       made of all results: seriesCount; none is needed
 *       results 1:30: assets "a", "b"; all are held
 *         series 1:60: copied from the response
 *       asset 1:90: asset "c"; attributes: name; rows, from 5
 */
export function* printDataset({ plan, results, assets }: BoundDataset): Generator<string> {
  yield printField(plan.field);
  if (plan.metadata.length > 0) yield `  metadata: ${plan.metadata.join(', ')}`;
  if (plan.assetMetadata) yield '  metadata: of its assets';
  if (plan.all.fields.length > 0) {
    yield `  made of all results: ${plan.all.fields.join(', ')}; ${printRequirements(plan.all.requirements)}`;
  }
  for (const each of results) yield* printResults(each);
  for (const [asset, ids] of idsByField(assets)) {
    yield `  ${printField(asset.plan.field)}: ${[printFilter({ assetIds: ids }), ...requirementsOf(asset)].join('; ')}`;
  }
}

/** Prints what a field that returns assets requires of the service. */
export function printAsset(asset: BoundAsset): string {
  return [printField(asset.plan.field), ...requirementsOf(asset)].join('; ');
}

function* printResults({ plan, filter, requirements }: BoundResults): Generator<string> {
  yield `  ${printField(plan.field)}: ${printFilter(filter)}; ${printRequirements(requirements)}`;
  for (const { field, page } of plan.pages) {
    yield `    ${printField(field)}: ${page.bind === undefined ? 'resolved field by field' : 'copied from the response'}`;
  }
}

function printRequirements(requirements: BoundResults['requirements']): string {
  if (requirements === undefined) return 'all are held';
  if (!('first' in requirements)) return 'all are needed once, in order';
  const assets = requirements.first === 0 ? 'none is needed' : `the first ${requirements.first} are needed`;
  return requirements.names ? `${assets}, and the names of all metrics` : assets;
}

function requirementsOf({ plan, timeRanges }: BoundAsset): string[] {
  const attributes = plan.attributes.length === 0 ? [] : [`attributes: ${plan.attributes.join(', ')}`];
  return [...attributes, ...timeRanges.map((range) => `rows${printTimeRange(range)}`)];
}

function idsByField(assets: BoundDataset['assets']): Map<BoundAsset, string[]> {
  const groups = Map.groupBy(assets, ({ asset }) => asset);
  return new Map([...groups].map(([asset, group]) => [asset, group.map(({ assetId }) => assetId)]));
}

function printField({ nodes: [node] }: AssetPlan['field']): string {
  if (node?.loc === undefined) return '';
  const { line, column } = getLocation(node.loc.source, node.loc.start);
  return `${node.alias?.value ?? node.name.value} ${line}:${column}`;
}
