import type { Outline } from '../outline.ts';
import type { DatasetSummary, OverlaySummary } from '../response/worker/protocol.ts';
import { type Comparison, MAX_COMPARED } from './comparison.ts';
import type { Days, Shown } from './view.ts';

type YearsSummary = Extract<OverlaySummary, { kind: 'years' }>;

interface ComparisonNotesProps {
  readonly comparison: Comparison;
  /** What the charts show. */
  readonly dataset: DatasetSummary;
  readonly outline: Outline;
  readonly shown: Shown;
}

/** What is compared with what, and why something is not. */
export function ComparisonNotes(props: ComparisonNotesProps) {
  return <p className="response-hint">{notesOf(props).join(' ')}</p>;
}

function notesOf({ comparison, dataset, outline, shown }: ComparisonNotesProps): string[] {
  const { overlay, isTime } = dataset;
  if (comparison.kind === 'datasets') return notesOfDatasets(comparison, dataset, outline, shown);
  if (!isTime) return ['There is nothing to compare: the dates are no times that this page knows.'];
  if (comparison.kind === 'ranges') return notesOfRanges(comparison, overlay !== undefined, shown);
  const { length } = shown.assetIds;
  const who = `Years of ${whose(comparison, outline)}`;
  return [
    length > 1 ? `${who}, the first one of ${length} chosen assets.` : `${who}.`,
    ...(overlay?.kind === 'years' ? notesOfYears(overlay, dataset.dateCount, shown.days) : []),
  ];
}

function notesOfYears({ years, omittedYears }: YearsSummary, dateCount: number, { from, to }: Days): string[] {
  const [latest, ...others] = years;
  const isAll = from === '' && to === '';
  if (latest === undefined) return ['There are no values.'];
  if (others.length === 0)
    return [`There is nothing to compare: all values are of ${latest}.${isAll ? '' : ' Choose a longer time.'}`];
  return [
    ...(omittedYears > 0 ? [`The latest ${years.length} of ${years.length + omittedYears} years.`] : []),
    ...(dateCount <= years.length ? ['Each year has one date. Without a comparison, a line joins them.'] : []),
  ];
}

function notesOfRanges(
  { assetIds, days, earlier }: Extract<Comparison, { kind: 'ranges' }>,
  hasEarlier: boolean,
  shown: Shown,
): string[] {
  return [
    hasEarlier
      ? `Dashed: the earlier days, ${textOf(earlier)}, over ${textOf(days)}.`
      : `There is nothing to compare: the earlier days, ${textOf(earlier)}, have no values.`,
    ...(assetIds.length > 0 && assetIds.length < shown.assetIds.length
      ? [`At most ${MAX_COMPARED} assets are compared: the first ones.`]
      : []),
  ];
}

function notesOfDatasets(
  { assetIds, other, days }: Extract<Comparison, { kind: 'datasets' }>,
  { assets, metrics }: DatasetSummary,
  outline: Outline,
  shown: Shown,
): string[] {
  const time = days.from === '' || days.to === '' ? '' : ` from ${textOf(days)}`;
  if (!assets.some(({ label }) => label === other.name))
    return [`There is nothing to compare: ${other.name} has no values${time}.`];
  const isAll = assetIds.length === 0 || assetIds.length === outline.assets.length;
  const own = isAll ? outline.name : `${assetIds.length} of ${outline.assets.length} assets of ${outline.name}`;
  const isApart = metrics.some((metric) => !shown.metrics.includes(metric));
  return [
    `Medians of ${own}, and of ${other.name}${time}.`,
    ...(isApart ? ['They have no metric of the same name: each has its own charts.'] : []),
  ];
}

/** The asset whose years are drawn, or what stands for all. */
export function whose({ assetIds: [id] }: { assetIds: readonly string[] }, { assets }: Outline): string {
  return id === undefined ? 'the median of all assets' : (assets.find((asset) => asset.id === id)?.name ?? id);
}

function textOf({ from, to }: Days): string {
  return `${from} to ${to}`;
}
