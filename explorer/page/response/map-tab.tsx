import './map.css';
import { useCallback } from 'react';
import { zoomKey } from './gestures.ts';
import { MapLegend } from './map-legend.tsx';
import { type MapChoice, MapTools } from './map-tools.tsx';
import type { MapView } from './pane-view.ts';
import { allPlaces } from './place-choice.ts';
import { PlaceMap } from './place-map.tsx';
import { PlaceTable } from './place-table.tsx';
import { queryResponse } from './response-client.ts';
import type { Colours } from './theme.ts';
import { useQuery } from './use-query.ts';
import type { DatasetSummary } from './worker/protocol.ts';
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
          <PlaceMap
            {...{ dataset, metric, found, colours }}
            chosenArea={view.mapArea}
            onArea={(mapArea) => onView({ mapArea })}
            onPlace={showLines}
          />
          {found && <MapLegend values={found.values} scale={found} colours={colours} />}
        </div>
        {found && metric !== undefined && (
          <PlaceTable
            {...{ dataset, metric, found }}
            choice={view.places ?? allPlaces}
            onChoice={(next) => onView({ places: next })}
            onPlace={showLines}
          />
        )}
      </div>
      <p className="response-hint">
        A click on a place shows its line.{' '}
        <span className="response-gesture">Drag moves the map, {zoomKey} and wheel zoom it. </span>
        Coasts: Natural Earth.
      </p>
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
