import { useMemo, useSyncExternalStore } from 'react';

/** The unit of a metric of a dataset, as a user typed it. REST has no units. */
interface KnownUnit {
  readonly datasetId: string;
  readonly metric: string;
  readonly unit: string;
}

/** The units of a dataset, by the names of its metrics. */
export type Units = ReadonlyMap<string, string>;

const KEY = 'dataset-subgraph:units';

/** The most units that are kept. The oldest ones are forgotten. */
const MAX_UNITS = 200;

/** The most characters of a unit. */
export const MAX_UNIT_LENGTH = 20;

/** The newest first. */
let known = readUnits();
const listeners = new Set<() => void>();

/**
 * The units of a dataset, and what sets one. An empty text removes it. They stay in the browser's local storage, and nothing sends
 * them. Without storage they last as long as the page.
 *
 * @param datasetId undefined where it is not known: there are no units
 */
export function useUnits(datasetId: string | undefined): [Units, (metric: string, unit: string) => void] {
  const all = useSyncExternalStore(subscribe, () => known);
  const units = useMemo(
    () => new Map(all.filter((each) => each.datasetId === datasetId).map(({ metric, unit }) => [metric, unit])),
    [all, datasetId],
  );
  return [units, (metric, unit) => datasetId !== undefined && setUnit({ datasetId, metric, unit: unit.trim() })];
}

/** The name of a metric, with its unit if there is one. */
export function withUnit(metric: string, units: Units): string {
  const unit = units.get(metric);
  return unit === undefined ? metric : `${metric} (${unit})`;
}

function setUnit(set: KnownUnit): void {
  const others = known.filter(({ datasetId, metric }) => datasetId !== set.datasetId || metric !== set.metric);
  known = (set.unit === '' ? others : [set, ...others]).slice(0, MAX_UNITS);
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // The browser allows no storage, or it is full. The page works without.
  }
  notify();
}

/** What the browser keeps. Ignores all that is not as `setUnit` writes it. */
function readUnits(): readonly KnownUnit[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isUnit).slice(0, MAX_UNITS) : [];
  } catch {
    return [];
  }
}

function isUnit(value: unknown): value is KnownUnit {
  const { datasetId, metric, unit } = (value ?? {}) as Record<string, unknown>;
  const isText = typeof datasetId === 'string' && typeof metric === 'string' && typeof unit === 'string';
  return isText && unit !== '' && unit.length <= MAX_UNIT_LENGTH;
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function notify(): void {
  for (const listener of listeners) listener();
}

function readAgain(): void {
  known = readUnits();
  notify();
}

// Another page of this browser has set a unit.
window.addEventListener('storage', ({ key }) => (key === KEY || key === null) && readAgain());
// A page that the browser kept for its Back button has the units from then.
window.addEventListener('pageshow', ({ persisted }) => persisted && readAgain());
