import { kindsOf } from './chart-choice.ts';
import { columnNames } from './column-names.ts';
import { candidatesOf, firstChoice, type LineChoice } from './line-choice.ts';
import type { PaneView, TableChoice } from './pane-view.ts';
import type { DatasetSummary } from './worker/protocol.ts';
import { xOf, zoomOf } from './zoom-text.ts';

/**
 * What of a view fits the datasets of a response. Without any dataset the view stays as it is: the reason may be a missing token, and
 * the next response may have what the view is for.
 */
export function fittingView(view: PaneView, datasets: readonly DatasetSummary[]): PaneView {
  const index = datasets[view.dataset ?? 0] === undefined ? undefined : view.dataset;
  const dataset = datasets[index ?? 0];
  if (dataset === undefined) return view;
  const { kind, from, to, metrics, mapMetric, mapDate } = view;
  const isZoomed = zoomOf(dataset, view) !== undefined;
  const isKnown = (name: string) => dataset.metrics.includes(name);
  const known = metrics?.filter(isKnown);
  return {
    ...view,
    dataset: index,
    kind: kind !== undefined && kindsOf(dataset).includes(kind) ? kind : undefined,
    from: isZoomed ? from : undefined,
    to: isZoomed ? to : undefined,
    metrics: known?.length === 0 && metrics?.length !== 0 ? undefined : known,
    lines: view.lines && fittingLines(view.lines, dataset),
    mapMetric: mapMetric === undefined || mapMetric === '' || isKnown(mapMetric) ? mapMetric : undefined,
    mapDate: isWithin(dataset, mapDate) ? mapDate : undefined,
    places: view.places && hasMatch(view.places.filter, dataset.assets) ? view.places : undefined,
    table: view.table && fittingTable(view.table, dataset),
  };
}

/** Whether a date is one of the time of a dataset. */
function isWithin(dataset: DatasetSummary, date: string | undefined): boolean {
  const [first, last] = dataset.extent;
  const x = date === undefined ? undefined : xOf(dataset, date);
  return x !== undefined && x >= first && x <= last;
}

function fittingLines(lines: LineChoice, { assets }: DatasetSummary): LineChoice | undefined {
  const labels = new Set(assets.map(({ label }) => label));
  const hidden = lines.hidden.filter((label) => labels.has(label));
  const added = lines.added.filter((label) => labels.has(label));
  const filter = hasMatch(lines.filter, assets) ? lines.filter : '';
  // The lines that were alone are not there any more.
  const base = lines.base === 'none' && lines.added.length > 0 && added.length === 0 ? 'first' : lines.base;
  if (filter === '' && base === 'first' && hidden.length === 0 && added.length === 0) return undefined;
  return { filter, base, hidden, added };
}

function fittingTable({ filter, sort }: TableChoice, dataset: DatasetSummary): TableChoice | undefined {
  const isColumn = sort !== undefined && columnNames(dataset).includes(sort.column);
  const isFilter = filter !== '' && hasMatch(filter, dataset.assets);
  return isColumn || isFilter ? { filter: isFilter ? filter : '', sort: isColumn ? sort : undefined } : undefined;
}

function hasMatch(filter: string, assets: DatasetSummary['assets']): boolean {
  return candidatesOf(assets, { ...firstChoice, filter }).length > 0;
}
