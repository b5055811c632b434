import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { type Coast, loadCoasts } from './coasts.ts';
import { dateText } from './date-text.ts';
import { type MapArea, scaleBarOf, spacingOf } from './map-area.ts';
import { areaOption, mapOption, PLACES, type PlaceItem, placesOption } from './map-option.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';
import { useMapArea } from './use-map-area.ts';
import { outlierSide } from './value-colour.ts';
import { valueText } from './value-text.ts';
import type { DatasetSummary, Place, PlaceValues } from './worker/protocol.ts';

/** What is left of the visible area after a zoom by a button or a key. */
const ZOOM_IN = 0.5;

/** The pixels by which a key moves the map, and the greatest length of the scale bar. */
const STEP = 80;
const MAX_SCALE_BAR = 120;

/** The map alone, with buttons and keys that zoom it, and a scale bar. */
export function PlaceMap(props: {
  dataset: DatasetSummary;
  metric: number | undefined;
  found: PlaceValues | undefined;
  colours: Colours;
  /** What the user wants to see. Undefined: all places. */
  chosenArea: MapArea | undefined;
  /** Called with what the user wants to see. */
  onArea: (area: MapArea | undefined) => void;
  onPlace: (place: number) => void;
}) {
  const { dataset, metric, found, colours, chosenArea, onArea, onPlace } = props;
  const { places } = dataset;
  const [coasts, setCoasts] = useState<readonly Coast[]>();
  const [reading, setReading] = useState(-1);
  useEffect(() => {
    void loadCoasts().then(setCoasts);
  }, []);
  // The tooltip says the values of now, without a new map.
  const textOf = useRef<(place: number) => string>(() => '');
  textOf.current = (place) => placeText(dataset, place, metric, found);
  const option = useMemo(
    () => coasts && mapOption(coasts, colours, (place) => textOf.current(place)),
    [coasts, colours],
  );
  const { element, chart } = useChart(option);
  const { frame, area, move, zoom, reveal, fit } = useMapArea(element, places, chosenArea, onArea);
  const spacing = useMemo(() => spacingOf(frame), [frame]);
  const items = useMemo(() => placesOption(places, found, colours), [places, found, colours]);
  useEffect(() => {
    if (option !== undefined) chart?.setOption(items);
  }, [chart, option, items]);
  useEffect(() => {
    if (option !== undefined && coasts && area) chart?.setOption(areaOption(area, frame, spacing, coasts, colours));
  }, [chart, option, area, frame, spacing, coasts, colours]);
  useEffect(() => {
    const onClick = ({ data }: { data: PlaceItem }) => onPlace(data.place);
    chart?.on('click', onClick as (event: unknown) => void);
    return () => {
      if (chart?.isDisposed() === false) chart.off('click', onClick);
    };
  }, [chart, onPlace]);
  const read = (index: number) => {
    setReading(index);
    const place = places[index];
    if (place !== undefined) reveal(place);
  };
  // After the map has moved to the place.
  useEffect(() => {
    const dataIndex = items.series.data.findIndex(({ place }) => place === reading);
    if (dataIndex >= 0) chart?.dispatchAction({ type: 'showTip', seriesIndex: PLACES, dataIndex });
  }, [chart, items, reading]);
  const onKeyDown = (event: KeyboardEvent) => {
    const last = places.length - 1;
    const steps: Record<string, () => void> = event.shiftKey
      ? {
          ArrowRight: () => move(-STEP, 0),
          ArrowLeft: () => move(STEP, 0),
          ArrowUp: () => move(0, STEP),
          ArrowDown: () => move(0, -STEP),
        }
      : {
          ArrowRight: () => read(Math.min(reading + 1, last)),
          ArrowLeft: () => read(Math.max(reading - 1, 0)),
          Home: () => read(0),
          End: () => read(last),
          Enter: () => onPlace(reading),
        };
    const zooms: Record<string, () => void> = {
      '+': () => zoom(ZOOM_IN),
      '-': () => zoom(1 / ZOOM_IN),
      '0': fit,
    };
    const step = steps[event.key] ?? zooms[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  };
  const scaleBar = area && scaleBarOf(area, MAX_SCALE_BAR);
  return (
    <>
      <div className="response-map-frame">
        <div
          className="response-map"
          role="application"
          aria-roledescription="map"
          aria-label={`A map with ${namesOf(places)}. The arrow keys read out the places, and Enter shows a place’s line. With Shift they move the map; plus, minus and 0 zoom it.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its places
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <div ref={element} className="response-canvas" aria-hidden="true" />
        </div>
        <div className="response-map-zoom">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(ZOOM_IN)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM_IN)}>
            −
          </button>
          <button type="button" aria-label="All places" onClick={fit}>
            All
          </button>
        </div>
        {scaleBar && (
          <div className="response-scale-bar" style={{ width: scaleBar.pixels }}>
            {scaleBar.text}
          </div>
        )}
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
  const far = outlierSide(found, value) === 0 ? '' : ', far from most values';
  return `${place}: ${dataset.labels[metric]} ${valueText(value)}${date}${far}`;
}

/** The maximum number of places in the text alternative. With more, it has only their number. */
const MAX_NAMES = 20;

function namesOf(places: readonly Place[]): string {
  if (places.length > MAX_NAMES) return `${places.length} places`;
  return places
    .map(({ label, latitude, longitude }) => `${label || 'an asset'} at ${latitude}, ${longitude}`)
    .join('; ');
}
