import { useMemo } from 'react';
import { ChartNotes } from '../response/chart-notes.tsx';
import { ChartView } from '../response/chart-view.tsx';
import type { Zoom } from '../response/echarts.ts';
import type { LineContent } from '../response/line-content.ts';
import { LineSample } from '../response/line-sample.tsx';
import { styleOf } from '../response/line-style.ts';
import { LineTable } from '../response/line-table.tsx';
import { LogarithmicButton } from '../response/logarithmic-button.tsx';
import type { ZoomBounds } from '../response/pane-view.ts';
import { queryResponse } from '../response/response-client.ts';
import { type Colours, useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import { useSettledZoom } from '../response/use-settled-zoom.ts';
import type { AssetSummary, DatasetSummary } from '../response/worker/protocol.ts';
import { rangeOf } from '../response/zoom-text.ts';
import { allLines } from './all-lines.ts';
import { type Days, dayOf, type View } from './view.ts';

interface DatasetChartProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** The visible part of the time; undefined: all of it. */
  readonly zoom: ZoomBounds | undefined;
  readonly onZoom: (zoom: ZoomBounds) => void;
  readonly isLogarithmic: boolean | undefined;
  /** The name of the line that is shown alone; undefined: all are shown. */
  readonly only: string | undefined;
  /** Called with what the user changes of the lines. */
  readonly onLines: (change: Pick<View, 'isLogarithmic' | 'only'>) => void;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
}

/** The charts of all lines of a response, and their names. */
export function DatasetChart(props: DatasetChartProps) {
  const { responseId, dataset, zoom: bounds = {}, onZoom: onBounds, onLines, onDays } = props;
  const { isLogarithmic = false, only } = props;
  const colours = useThemeColours(null);
  const [zoom, onZoom] = useSettledZoom(dataset, bounds, onBounds);
  const zoomed = zoomedDays(dataset, zoom);
  const slots = useMemo(() => slotsOf(dataset), [dataset]);
  const alone = dataset.assets.findIndex(({ label }) => label === only);
  const key = JSON.stringify([responseId, dataset.labels, alone, isLogarithmic]);
  const { result: content, error } = useQuery(key, async (): Promise<LineContent> => {
    const request = { ...allLines(dataset), isLogarithmic };
    const assets = alone < 0 ? request.assets : linesWith(dataset, alone);
    const lines = await queryResponse(responseId, 'lines', { ...request, assets });
    // With what was asked for, because the next question may differ.
    return {
      dataset,
      metrics: request.metrics,
      slots: new Map(assets.map((asset) => [asset, slots.get(asset) ?? 0])),
      isLogarithmic,
      ...lines,
    };
  });
  return (
    <div className="dataset-charts">
      <div className="dataset-key">
        <Key {...{ dataset, slots, colours, alone }} onOnly={(label) => onLines({ only: label })} />
        {zoomed !== undefined && (
          <button type="button" onClick={() => onDays(zoomed)}>
            Show only {zoomed.from} to {zoomed.to}
          </button>
        )}
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      <ChartNotes dataset={dataset} content={content} />
      {content !== undefined && (
        <>
          <ChartView
            {...{ content, colours, zoom, onZoom }}
            tools={<LogarithmicButton isLogarithmic={isLogarithmic} onChange={onLines} />}
          />
          <LineTable content={content} colours={colours} />
        </>
      )}
    </div>
  );
}

/** The days that are visible; undefined for all of them, and where the dates are no points in time, or those of several years. */
function zoomedDays(dataset: DatasetSummary, zoom: Zoom | undefined): Days | undefined {
  if (zoom === undefined || !dataset.isTime || dataset.overlay?.kind === 'years') return undefined;
  const [from, to] = rangeOf(dataset, zoom);
  return { from: dayOf(from), to: dayOf(to) };
}

/**
 * The slot of each line, which decides its colour and dash. Quantiles share the first one, the lines of a preview the second one, and
 * the lines of an asset in two time ranges share one, too.
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
    const slot = asset.isPreview ? 1 : index - Math.max(0, quantileCount - 1);
    slots.set(index, isQuantile(asset) ? 0 : slot);
  });
  return slots;
}

/** Whether a line is a quantile of all assets. These come first and have no asset. */
function isQuantile({ id }: AssetSummary): boolean {
  return id === '';
}

/** The lines that have one name: an asset, or the quantiles of all with their area. */
function linesWith({ assets }: DatasetSummary, alone: number): number[] {
  const hasArea = assets[alone]?.id === '';
  return [...assets.keys()].filter((index) => index === alone || (hasArea && assets[index]?.edge !== undefined));
}

interface KeyProps {
  readonly dataset: DatasetSummary;
  readonly slots: ReadonlyMap<number, number>;
  readonly colours: Colours;
  /** The line that is shown alone; -1: all are shown. */
  readonly alone: number;
  /** Called with the name of the line that the user wants to see alone; undefined: all. */
  readonly onOnly: (label: string | undefined) => void;
}

/**
 * The names of the lines, each with a sample. Quantiles have one name, and so has a preview. A click on one of several shows it alone,
 * or all again.
 */
function Key(props: KeyProps) {
  const { dataset, colours, alone, onOnly } = props;
  const named = dataset.assets
    .map((asset, index) => ({ asset, index, style: styleOf(props, index, colours) }))
    .filter(({ asset: { edge } }) => edge === undefined);
  const preview = named.find(({ asset }) => asset.isPreview);
  const others = named.filter(({ asset }) => !asset.isPreview);
  return (
    <ul aria-label="Lines">
      {preview && (
        <li className="dataset-preview">
          <LineSample style={preview.style} />
          The first assets, until all are read
        </li>
      )}
      {others.map(({ asset, index, style }) => {
        const name = (
          <>
            <LineSample style={style} />
            {nameOf(asset, dataset)}
          </>
        );
        if (others.length === 1)
          return (
            <li key={asset.label} title={asset.label}>
              {name}
            </li>
          );
        return (
          <li key={asset.label} title={asset.label}>
            <button
              type="button"
              aria-pressed={index === alone}
              title={index === alone ? 'Show all lines' : 'Show this line alone'}
              onClick={() => onOnly(index === alone ? undefined : asset.label)}
            >
              {name}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function nameOf(asset: AssetSummary, { assets, overlay }: DatasetSummary): string {
  if (!isQuantile(asset) || overlay?.kind === 'years' || overlay?.kind === 'datasets') return asset.label;
  const hasArea = assets.some(({ edge }) => edge !== undefined);
  return `All assets: ${asset.label}${hasArea ? ', and the area from 10 % to 90 %' : ''}`;
}
