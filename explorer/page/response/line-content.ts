import type { DatasetSummary, Lines } from './worker/protocol.ts';

/** The lines of one dataset, and how they are drawn. */
export interface LineContent extends Lines {
  readonly dataset: DatasetSummary;
  /** The metrics that have a chart. */
  readonly metrics: readonly number[];
  /** The slot of each drawn asset, which decides its colour and dash. */
  readonly slots: ReadonlyMap<number, number>;
  readonly isLogarithmic: boolean;
}
