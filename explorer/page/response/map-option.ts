import { font } from '../../src/tokens.ts';
import { COASTS } from './coasts.ts';
import { type ChartOption, echarts } from './echarts.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import { valueColour } from './value-colour.ts';
import type { Place, PlaceValues } from './worker/protocol.ts';

/** The minimum margin around the places, in degrees. */
const MIN_MARGIN = 8;

/** The margin at the sides, relative to the width of all places. It makes space for their names. */
const MARGIN_OF_WIDTH = 0.3;

/** With so many places or more, names show only at the pointer. */
const MAX_LABELS = 12;

/** The chart option for a map with these places. The points come from `pointsOption`, so that new values keep the zoom. */
export function mapOption(places: readonly Place[], colours: Colours, textOf: (place: number) => string): ChartOption {
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  const latitudes = sorted(places.map(({ latitude }) => latitude));
  const longitudes = sorted(places.map(({ longitude }) => longitude));
  const [west = 0, east = 0] = [longitudes[0], longitudes.at(-1)];
  const [south = 0, north = 0] = [latitudes[0], latitudes.at(-1)];
  const sideMargin = Math.max(MIN_MARGIN, (east - west) * MARGIN_OF_WIDTH);
  return {
    animation: false,
    backgroundColor: colours.sea,
    textStyle: { color: colours.text, fontFamily: font },
    tooltip: {
      ...tooltipStyle(colours),
      formatter: ({ dataIndex }: { dataIndex: number }) => echarts.format.encodeHTML(textOf(dataIndex)),
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
  };
}

/** The points of the map: each in the colour of its value, hollow without one, or all in one colour where no values are shown. */
export function pointsOption(places: readonly Place[], found: PlaceValues | undefined, colours: Colours): ChartOption {
  const fillOf = (value: number) =>
    Number.isNaN(value) ? colours.paper : valueColour(colours, found ?? noScale, value);
  return {
    series: {
      id: 'places',
      type: 'scatter',
      coordinateSystem: 'geo',
      symbolSize: 12,
      itemStyle: { opacity: 1, borderColor: colours.text, borderWidth: found === undefined ? 0 : 1 },
      label: { show: places.length < MAX_LABELS, formatter: '{b}', position: 'top', color: colours.text },
      labelLayout: { hideOverlap: true },
      data: places.map(({ label, latitude, longitude }, place) => ({
        name: label,
        value: [longitude, latitude],
        itemStyle: { color: found === undefined ? colours.lines[0] : fillOf(found.values[place] ?? Number.NaN) },
      })),
    },
  };
}

const noScale = { min: 0, max: 0 };
