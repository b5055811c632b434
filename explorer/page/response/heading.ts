import type { DatasetSummary } from './worker/protocol.ts';

/** The heading of a dataset: its title, and the asset if there is only one. */
export function headingOf({ title, assets }: DatasetSummary): string {
  const [first, ...others] = assets;
  return first === undefined || first.label === '' || others.length > 0 ? title : `${title}: ${first.label}`;
}
