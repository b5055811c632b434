import type { DatasetSummary, LinesRequest } from '../response/worker/protocol.ts';

/** Asks for everything that a response has: the page asked for what it draws. */
export function allLines({ assets, metrics }: DatasetSummary): LinesRequest {
  return { dataset: 0, assets: [...assets.keys()], metrics: [...metrics.keys()] };
}
