import './map.css';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { loadCoasts } from './coasts.ts';
import { dateText } from './date-text.ts';
import { MapLegend } from './map-legend.tsx';
import { mapOption, pointsOption } from './map-option.ts';
import { type MapChoice, MapTools } from './map-tools.tsx';
import type { MapView } from './pane-view.ts';
import { PlaceTable } from './place-table.tsx';
import { queryResponse } from './response-client.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';
import { useQuery } from './use-query.ts';
import { valueText } from './value-text.ts';
import type { DatasetSummary, Place, PlaceValues } from './worker/protocol.ts';
import { dateAt, xOf } from './zoom-text.ts';

/** A map of the assets with the values of a metric at a date, and the values as a table. A click on a place shows its line. */
export function MapTab(props: {
  responseId: number;
  index: number;
  dataset: DatasetSummary;
  colours: Colours;
  view: MapView;
  /** Called with what the user changes. */
  onView: (change: MapView) => void;
  /** Called with the assets of a place, as indexes, whose lines the user wants to see. */
  onPlace: (assets: readonly number[]) => void;
}) {
  const { responseId, index, dataset, colours, view, onView, onPlace } = props;
  const { places } = dataset;
  const { result: dates } = useQuery(`${responseId} ${index}`, () => queryResponse(responseId, 'dates', index));
  const choice = choiceOf(view, dataset, dates);
  const { metric } = choice;
  const choose = (next: MapChoice) =>
    onView({
      ...(next.metric !== metric && { mapMetric: dataset.metrics[next.metric ?? -1] ?? '' }),
      ...(next.date !== choice.date && { mapDate: dateAt(dataset, dates?.[next.date] ?? 0) }),
    });
  const x = dates?.[choice.date];
  const { result, error } = useQuery(JSON.stringify([metric, x]), async () => ({
    metric,
    found:
      metric === undefined || x === undefined
        ? undefined
        : await queryResponse(responseId, 'placeValues', index, metric, x),
  }));
  const found = result?.metric === metric ? result?.found : undefined;
  const showLines = useCallback(
    (place: number) => {
      const assets = places[place]?.assets ?? [];
      if (assets.length > 0) onPlace(assets);
    },
    [places, onPlace],
  );
  return (
    <>
      {dates !== undefined && dates.length > 0 && dataset.metrics.length > 0 && (
        <MapTools {...{ dataset, dates, choice }} onChoice={choose} />
      )}
      {error !== undefined && <p role="alert">{error}</p>}
      <div className="response-map-and-table">
        <div className="response-map-column">
          <PlaceMap {...{ dataset, metric, found, colours }} onPlace={showLines} />
          {found && <MapLegend values={found.values} scale={found} colours={colours} />}
        </div>
        {found && metric !== undefined && <PlaceTable {...{ dataset, metric, found }} onPlace={showLines} />}
      </div>
      <p className="response-hint">A click on a place shows its line. Coasts: Natural Earth.</p>
    </>
  );
}

/** What a view shows on the map: at first the last values of the first metric. */
function choiceOf({ mapMetric, mapDate }: MapView, dataset: DatasetSummary, dates: Float64Array = none): MapChoice {
  const metric = dataset.metrics.indexOf(mapMetric ?? dataset.metrics[0] ?? '');
  const x = (mapDate === undefined ? undefined : xOf(dataset, mapDate)) ?? Number.POSITIVE_INFINITY;
  return {
    metric: metric < 0 ? undefined : metric,
    date: Math.max(
      0,
      dates.findLastIndex((date) => date <= x),
    ),
  };
}

const none = new Float64Array();

/** The map alone. */
function PlaceMap(props: {
  dataset: DatasetSummary;
  metric: number | undefined;
  found: PlaceValues | undefined;
  colours: Colours;
  onPlace: (place: number) => void;
}) {
  const { dataset, metric, found, colours, onPlace } = props;
  const { places } = dataset;
  const [hasCoasts, setHasCoasts] = useState(false);
  const [reading, setReading] = useState(-1);
  useEffect(() => {
    void loadCoasts().then(() => setHasCoasts(true));
  }, []);
  // The tooltip says the values of now, without a new map.
  const textOf = useRef<(place: number) => string>(() => '');
  textOf.current = (place) => placeText(dataset, place, metric, found);
  const option = useMemo(
    () => (hasCoasts ? mapOption(places, colours, (place) => textOf.current(place)) : undefined),
    [hasCoasts, places, colours],
  );
  const points = useMemo(() => pointsOption(places, found, colours), [places, found, colours]);
  const { element, chart } = useChart(option);
  useEffect(() => {
    if (option !== undefined) chart?.setOption(points);
  }, [chart, option, points]);
  useEffect(() => {
    const onClick = ({ dataIndex }: { dataIndex: number }) => onPlace(dataIndex);
    chart?.on('click', onClick as (event: unknown) => void);
    return () => {
      if (chart?.isDisposed() === false) chart.off('click', onClick);
    };
  }, [chart, onPlace]);
  const onKeyDown = (event: KeyboardEvent) => {
    const last = places.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: Math.min(reading + 1, last),
      ArrowLeft: Math.max(reading - 1, 0),
      Home: 0,
      End: last,
    };
    const index = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') onPlace(reading);
    if (index === undefined) return;
    event.preventDefault();
    setReading(index);
    chart?.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: index });
  };
  return (
    <>
      <div
        className="response-map"
        role="application"
        aria-roledescription="map"
        aria-label={`A map with ${namesOf(places)}. The arrow keys read out the places, and Enter shows a place’s line.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its places
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div ref={element} className="response-canvas" aria-hidden="true" />
      </div>
      <p className="response-reading" aria-live="polite">
        {places[reading] && placeText(dataset, reading, metric, found)}
      </p>
    </>
  );
}

/** A place as text, with its value if values are shown. */
function placeText(
  dataset: DatasetSummary,
  index: number,
  metric: number | undefined,
  found: PlaceValues | undefined,
): string {
  const { label = '', latitude, longitude } = dataset.places[index] ?? {};
  const place = `${label} ${latitude}, ${longitude}`.trim();
  if (metric === undefined || found === undefined) return place;
  const value = found.values[index] ?? Number.NaN;
  const date = Number.isNaN(value) ? '' : ` (${dateText(dataset, found.dates[index] ?? 0)})`;
  return `${place}: ${dataset.labels[metric]} ${valueText(value)}${date}`;
}

/** The maximum number of places in the text alternative. With more, it has only their number. */
const MAX_NAMES = 20;

function namesOf(places: readonly Place[]): string {
  if (places.length > MAX_NAMES) return `${places.length} places`;
  return places
    .map(({ label, latitude, longitude }) => `${label || 'an asset'} at ${latitude}, ${longitude}`)
    .join('; ');
}
