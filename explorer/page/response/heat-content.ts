import type { DatasetSummary, HeatMaps } from './worker/protocol.ts';

/** The heat maps of one dataset. */
export interface HeatContent {
  readonly dataset: DatasetSummary;
  readonly heat: HeatMaps;
  /** The assets, from the top to the bottom. */
  readonly assets: readonly number[];
}
