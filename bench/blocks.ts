import type { Hazard } from './hazards.ts';
import { oddIds } from './odd-bodies.ts';
import { probe } from './probe.ts';
import { graphqlRequest } from './requests.ts';
import { allRows, nodes, ofDataset } from './workloads.ts';

/** Bodies with so many assets that the query selects only some fields. */
const manyAssets = new Set(['assets-without-rows', 'numeric-asset-names']);
const fewFields = nodes('asset { assetId name } rowCount');

/** Measures for each odd body of 70 MB how long it blocks other requests. */
export const blocks: readonly Hazard[] = oddIds.map((id) => ({
  title: `odd body of 70 MB: ${id}`,
  rounds: 3,
  figures: [{ figure: 'longest block', limit: 'at most', must: 50, unit: ' ms' }],
  measure: async (contestant) => {
    const query = ofDataset(id, manyAssets.has(id) ? fewFields : allRows);
    const { response, blockMs } = await probe(contestant, graphqlRequest(contestant, query));
    const { status, bytes } = response;
    if (status !== 200) throw new Error(`the status is ${status}`);
    return { measured: [blockMs], note: [`response of ${(bytes / 1e6).toFixed(1)} MB`] };
  },
}));
