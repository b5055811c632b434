import type { SimulatedDataset, SimulatorOptions } from '../../simulator/src/simulator.ts';
import { assetResult, DATASET_ID, dataset, TOKEN } from '../support/harness.ts';

/** Another client's token. */
export const OTHER_TOKEN = 'token-of-bert';

/** A dataset that nobody may read. */
export const PRIVATE_ID = '22222222-2222-4222-8222-222222222222';

/** A dataset of many assets, `asset-0` to `asset-99`. */
export const WIDE_ID = '33333333-3333-4333-8333-333333333333';

/** A dataset whose processing has no id, and whose start date is in seconds. */
export const SPARSE_ID = '44444444-4444-4444-8444-444444444444';

function another(id: string, changes: Partial<SimulatedDataset>): SimulatedDataset {
  return { ...dataset, metadata: { ...dataset.metadata, id }, ...changes };
}

/** The data of the REST service in every case. */
export const service: SimulatorOptions = {
  accounts: [
    { email: 'anna@example.com', password: 'secret', token: TOKEN },
    { email: 'bert@example.com', password: 'secret', token: OTHER_TOKEN },
  ],
  datasets: [
    dataset,
    another(PRIVATE_ID, { readers: [] }),
    another(SPARSE_ID, {
      metadata: { id: SPARSE_ID, processing_name: 'Moisture model', start_date: 1_700_000_000 },
    }),
    another(WIDE_ID, { results: { assets: Array.from({ length: 100 }, (_, index) => assetResult(`asset-${index}`)) } }),
  ],
};

/** The secret of the router, which each gateway sends. */
export const SECRET = 'secret-of-the-router';

/** The settings of the subgraph in every case, with small limits so that cases can reach them. */
export const settings = {
  UPSTREAM_TIMEOUT_MS: '2000',
  UPSTREAM_MAX_BYTES: '100000000',
  UPSTREAM_MAX_CALLS: '20',
  MAX_OPERATIONS: '10',
  ROUTER_SECRET: SECRET,
};

/** A visit to an asset. */
export function visit(id: string, assetId: string, datasetId: string = DATASET_ID) {
  return { id, date: '2024-06-01T08:00:00.000Z', datasetId, assetId };
}
