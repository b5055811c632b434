import { useMemo } from 'react';
import { ChartView } from '../response/chart-view.tsx';
import type { Zoom } from '../response/echarts.ts';
import type { LineContent } from '../response/line-content.ts';
import { styleOf } from '../response/line-style.ts';
import type { ZoomBounds } from '../response/pane-view.ts';
import { queryResponse } from '../response/response-client.ts';
import { type Colours, useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import { useSettledZoom } from '../response/use-settled-zoom.ts';
import type { AssetSummary, DatasetSummary } from '../response/worker/protocol.ts';
import { rangeOf } from '../response/zoom-text.ts';
import { allLines } from './all-lines.ts';
import { type Days, dayOf } from './view.ts';

interface DatasetChartProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** The visible part of the time; undefined: all of it. */
  readonly zoom: ZoomBounds | undefined;
  readonly onZoom: (zoom: ZoomBounds) => void;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
}

/** The charts of all lines of a response, and their names. */
export function DatasetChart({ responseId, dataset, zoom: bounds = {}, onZoom: onBounds, onDays }: DatasetChartProps) {
  const colours = useThemeColours(null);
  const [zoom, onZoom] = useSettledZoom(dataset, bounds, onBounds);
  const zoomed = zoomedDays(dataset, zoom);
  const slots = useMemo(() => slotsOf(dataset), [dataset]);
  const { result, error } = useQuery(String(responseId), () => queryResponse(responseId, 'lines', allLines(dataset)));
  const content = useMemo(
    (): LineContent | undefined =>
      result && { ...result, dataset, metrics: [...dataset.metrics.keys()], slots, isLogarithmic: false },
    [dataset, result, slots],
  );
  return (
    <>
      <div className="dataset-key">
        <Key dataset={dataset} slots={slots} colours={colours} />
        {zoomed !== undefined && (
          <button type="button" onClick={() => onDays(zoomed)}>
            Show only {zoomed.from} to {zoomed.to}
          </button>
        )}
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      {content !== undefined && <ChartView {...{ content, colours, zoom, onZoom }} />}
    </>
  );
}

/** The days that are visible; undefined for all of them, and where the dates are no points in time, or those of several years. */
function zoomedDays(dataset: DatasetSummary, zoom: Zoom | undefined): Days | undefined {
  if (zoom === undefined || !dataset.isTime || dataset.overlay?.kind === 'years') return undefined;
  const [from, to] = rangeOf(dataset, zoom);
  return { from: dayOf(from), to: dayOf(to) };
}

/**
 * The slot of each line, which decides its colour and dash. Quantiles share the first one, and the lines of an asset in two
 * time ranges share one, too.
 */
function slotsOf({ assets, overlay }: DatasetSummary): Map<number, number> {
  if (overlay?.kind === 'years' || overlay?.kind === 'datasets')
    return new Map(assets.map((_, index) => [index, index]));
  if (overlay?.kind === 'ranges') {
    const ids = [...new Set(assets.map(({ id }) => id))];
    return new Map(assets.map(({ id }, index) => [index, ids.indexOf(id)]));
  }
  const slots = new Map<number, number>();
  const quantileCount = assets.filter(isQuantile).length;
  assets.forEach((asset, index) => {
    slots.set(index, isQuantile(asset) ? 0 : index - Math.max(0, quantileCount - 1));
  });
  return slots;
}

/** Whether a line is a quantile of all assets. These come first and have no asset. */
function isQuantile({ id }: AssetSummary): boolean {
  return id === '';
}

/** The names of the lines, each with a sample. Quantiles have one name. */
function Key(props: { dataset: DatasetSummary; slots: ReadonlyMap<number, number>; colours: Colours }) {
  const { dataset, colours } = props;
  const named = dataset.assets
    .map((asset, index) => ({ asset, style: styleOf(props, index, colours) }))
    .filter(({ asset: { edge } }) => edge === undefined);
  return (
    <ul aria-label="Lines">
      {named.map(({ asset, style: { color, type, opacity } }) => (
        <li key={asset.label}>
          <span className="response-sample" style={{ borderTop: `3px ${type} ${color}`, opacity }} />
          {nameOf(asset, dataset)}
        </li>
      ))}
    </ul>
  );
}

function nameOf(asset: AssetSummary, { assets, overlay }: DatasetSummary): string {
  if (!isQuantile(asset) || overlay?.kind === 'years' || overlay?.kind === 'datasets') return asset.label;
  const hasArea = assets.some(({ edge }) => edge !== undefined);
  return `All assets: ${asset.label}${hasArea ? ', and the area from 10 % to 90 %' : ''}`;
}
