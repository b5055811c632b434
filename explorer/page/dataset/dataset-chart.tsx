import { useCallback, useMemo, useState } from 'react';
import { ChartView } from '../response/chart-view.tsx';
import type { Zoom } from '../response/echarts.ts';
import type { LineContent } from '../response/line-content.ts';
import { queryResponse } from '../response/response-client.ts';
import { type Colours, lineStyleOf, useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import type { AssetSummary, DatasetSummary } from '../response/worker/protocol.ts';
import { type Days, dayOf } from './view.ts';

interface DatasetChartProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
}

/** The charts of all lines of a response, and their names. */
export function DatasetChart({ responseId, dataset, onDays }: DatasetChartProps) {
  const colours = useThemeColours(null);
  const [zoomed, onZoom] = useZoomedDays(dataset);
  const slots = useMemo(() => slotsOf(dataset.assets), [dataset]);
  const { result, error } = useQuery(String(responseId), () =>
    queryResponse(responseId, 'lines', {
      dataset: 0,
      assets: [...dataset.assets.keys()],
      metrics: [...dataset.metrics.keys()],
    }),
  );
  const content = useMemo(
    (): LineContent | undefined =>
      result && { ...result, dataset, metrics: [...dataset.metrics.keys()], slots, isLogarithmic: false },
    [dataset, result, slots],
  );
  return (
    <>
      <div className="dataset-key">
        <Key assets={dataset.assets} slots={slots} colours={colours} />
        {zoomed !== undefined && (
          <button type="button" onClick={() => onDays(zoomed)}>
            Show only {zoomed.from} to {zoomed.to}
          </button>
        )}
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      {content !== undefined && <ChartView content={content} colours={colours} onZoom={onZoom} />}
    </>
  );
}

/** The days that are visible; undefined for all of them, and where the dates are no points in time. */
function useZoomedDays({ extent: [first, last], isTime }: DatasetSummary) {
  const [zoomed, setZoomed] = useState<Days>();
  const onZoom = useCallback(
    ({ start, end }: Zoom) => {
      const at = (percent: number) => dayOf(first + ((last - first) * percent) / 100);
      setZoomed(isTime && end - start < 99 ? { from: at(start), to: at(end) } : undefined);
    },
    [first, last, isTime],
  );
  return [zoomed, onZoom] as const;
}

/** The slot of each line, which decides its colour and dash. Those of a band share the first one. */
function slotsOf(assets: readonly AssetSummary[]): Map<number, number> {
  const slots = new Map<number, number>();
  const ofBand = assets.filter(isOfBand).length;
  assets.forEach((asset, index) => {
    slots.set(index, isOfBand(asset) ? 0 : index - Math.max(0, ofBand - 1));
  });
  return slots;
}

/** Whether a line is one of the band, which comes first and has no asset. */
function isOfBand({ id }: AssetSummary): boolean {
  return id === '';
}

/** The names of the lines, each with a sample. Those of a band have one name. */
function Key(props: { assets: readonly AssetSummary[]; slots: ReadonlyMap<number, number>; colours: Colours }) {
  const { assets, slots, colours } = props;
  const named = assets
    .map((asset, index) => ({ asset, slot: slots.get(index) ?? 0 }))
    .filter(({ asset: { edge } }) => edge === undefined);
  return (
    <ul aria-label="Lines">
      {named.map(({ asset, slot }) => {
        const { color, type } = lineStyleOf(colours, slot);
        return (
          <li key={asset.label}>
            <span className="response-sample" style={{ borderTop: `3px ${type} ${color}` }} />
            {isOfBand(asset) ? `All assets: ${asset.label}, and the area from 10 % to 90 %` : asset.label}
          </li>
        );
      })}
    </ul>
  );
}
