import type { Option } from '../outline.ts';
import { recentDatasets } from '../recent.ts';
import type { Settings } from '../settings.ts';

/** The datasets with series that the page knows beside this one: those of the server, and those that were used in this browser. */
export function otherDatasets({ datasets }: Settings, datasetId: string): Option[] {
  const known = [...datasets.filter(({ hasAssets }) => hasAssets), ...recentDatasets()];
  const names = new Map(known.map(({ id, name }) => [id, name]));
  names.delete(datasetId);
  return Array.from(names, ([id, name]) => ({ id, name }));
}
