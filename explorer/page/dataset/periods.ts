import type { Outline } from '../outline.ts';
import type { PageOperations } from '../settings.ts';
import { type TabText, variablesText } from '../tab-text.ts';
import { timeRange } from './operation.ts';
import { lengthOf, type Shown } from './view.ts';

/** The periods, from the shortest to the longest, each with its days, about. */
const periodDays = { DAY: 1, WEEK: 7, MONTH: 30.4, QUARTER: 91.3, YEAR: 365.25 } as const;
export type PeriodUnit = keyof typeof periodDays;
const units = Object.keys(periodDays) as PeriodUnit[];

/** The most periods: as many as a heat map has columns. */
const MAX_PERIODS = 800;

/** The most means of all assets together: about 500 kB, compressed. */
const MAX_MEANS = 120_000;

/** The assets of heat maps: all, if the quantiles of all are drawn. Undefined: all. */
function heatAssetIds({ hasQuantiles, assetIds }: Shown, { assets }: Outline): readonly string[] | undefined {
  return hasQuantiles || assetIds.length === assets.length ? undefined : assetIds;
}

/** The shortest period of which so many assets have not too many means. Where the length of the time is unknown, a month. */
export function periodOf(show: 'map' | 'heat', shown: Shown, outline: Outline): PeriodUnit {
  const [first, last] = outline.days;
  const days = lengthOf({ from: shown.days.from || first, to: shown.days.to || last });
  if (days === Number.POSITIVE_INFINITY) return 'MONTH';
  const assetCount = (show === 'heat' && heatAssetIds(shown, outline)?.length) || outline.assets.length;
  const most = Math.min(MAX_PERIODS, MAX_MEANS / (assetCount * shown.metrics.length));
  return units.find((unit) => days / periodDays[unit] <= most) ?? 'YEAR';
}

/** The operation that reads what a map or heat maps show: the means of each asset by period. A map has all assets. */
export function periodsOperation(
  datasetId: string,
  show: 'map' | 'heat',
  shown: Shown,
  outline: Outline,
  { periodMap }: PageOperations,
): TabText {
  const assetIds = show === 'heat' ? heatAssetIds(shown, outline) : undefined;
  const variables = {
    id: datasetId,
    ...(assetIds && { assetIds }),
    metrics: shown.metrics,
    ...timeRange(shown.days),
    every: periodOf(show, shown, outline),
  };
  return { query: periodMap, variables: variablesText(variables) };
}
