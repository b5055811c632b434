import { COASTS } from './coasts.ts';
import { type ChartOption, echarts } from './echarts.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import type { Place } from './worker/protocol.ts';

/** The minimum margin around the places, in degrees. */
const MIN_MARGIN = 8;

/** The margin at the sides, relative to the width of all places. It makes space for their names. */
const MARGIN_OF_WIDTH = 0.3;

/** With so many places or more, names show only at the pointer. */
const MAX_LABELS = 12;

/** A place as text. */
export function placeText({ label, latitude, longitude }: Place): string {
  return `${label} ${latitude}, ${longitude}`.trim();
}

/** The chart option for a map with these places. */
export function mapOption(places: readonly Place[], colours: Colours): ChartOption {
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  const latitudes = sorted(places.map(({ latitude }) => latitude));
  const longitudes = sorted(places.map(({ longitude }) => longitude));
  const [west = 0, east = 0] = [longitudes[0], longitudes.at(-1)];
  const [south = 0, north = 0] = [latitudes[0], latitudes.at(-1)];
  const sideMargin = Math.max(MIN_MARGIN, (east - west) * MARGIN_OF_WIDTH);
  return {
    animation: false,
    textStyle: { color: colours.text, fontFamily: 'system-ui, sans-serif' },
    tooltip: {
      ...tooltipStyle(colours),
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const place = places[dataIndex];
        return place ? echarts.format.encodeHTML(placeText(place)) : '';
      },
    },
    geo: {
      map: COASTS,
      roam: true,
      silent: true,
      left: 0,
      right: 0,
      top: 0,
      bottom: 0,
      preserveAspect: 'contain',
      boundingCoords: [
        [Math.max(west - sideMargin, -180), Math.min(north + MIN_MARGIN, 89)],
        [Math.min(east + sideMargin, 180), Math.max(south - MIN_MARGIN, -89)],
      ],
      itemStyle: { areaColor: colours.land, borderColor: colours.text, borderWidth: 0.5 },
    },
    series: {
      type: 'scatter',
      coordinateSystem: 'geo',
      symbolSize: 10,
      itemStyle: { color: colours.lines[0], opacity: 1 },
      label: { show: places.length < MAX_LABELS, formatter: '{b}', position: 'top', color: colours.text },
      labelLayout: { hideOverlap: true },
      data: places.map(({ label, latitude, longitude }) => ({ name: label, value: [longitude, latitude] })),
    },
  };
}
