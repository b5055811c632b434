/** A dataset that was used in this browser. */
export interface RecentDataset {
  readonly id: string;
  readonly name: string;
}

const KEY = 'dataset-subgraph:recent';

/** The maximum number of datasets kept. */
const MAX_DATASETS = 12;

/** The datasets that were used in this browser, the latest first. Empty if the browser keeps nothing. */
export function recentDatasets(): RecentDataset[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isDataset).slice(0, MAX_DATASETS) : [];
  } catch {
    return [];
  }
}

/** Keeps the id and the name of a dataset in this browser, and nothing else. */
export function rememberDataset({ id, name }: RecentDataset): void {
  const others = recentDatasets().filter((dataset) => dataset.id !== id);
  store([{ id, name }, ...others].slice(0, MAX_DATASETS));
}

/** Removes all that is kept. */
export function forgetDatasets(): void {
  store([]);
}

function store(datasets: readonly RecentDataset[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(datasets));
  } catch {
    // The browser allows no storage, or it is full. The page works without.
  }
}

function isDataset(value: unknown): value is RecentDataset {
  const { id, name } = (value ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof name === 'string';
}
