import { font } from '../../src/tokens.ts';
import type { Coast } from './coasts.ts';
import { type ChartOption, type DrawApi, echarts } from './echarts.ts';
import { endsOf, MAX_NAMES, type MapArea, type MapFrame } from './map-area.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import { outlierSide, valueColour } from './value-colour.ts';
import type { Place, PlaceValues } from './worker/protocol.ts';

/** The size of a place with space around it, of one among many, and of an outlier, in pixels. */
const PLACE = 12;
const MIN_PLACE = 4;
const OUTLIER = 14;

/** So many places more make each of them smaller by a pixel, if they are close. */
const PLACES_OF_PIXEL = 50;

/** The space of a label beside its line, in pixels. */
const LABEL = { width: 72, height: 20 };

/** The height of the least area with coasts, in degrees of latitude: they are exact to about a fifth of a degree. */
const MIN_COASTS = 2;

/** The index of the series of the places. */
export const PLACES = 1;

/** An item of the series of the places. */
export interface PlaceItem {
  readonly place: number;
}

/**
 * The chart option for a map with a graticule: longitudes and latitudes are its axes. What it shows comes from `areaOption`, and the
 * places from `placesOption`, so that a new one of these keeps the others.
 */
export function mapOption(coasts: readonly Coast[], colours: Colours, textOf: (place: number) => string): ChartOption {
  const axis = (label: object) => ({
    type: 'value',
    // Between the coasts and the places.
    z: 3,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { showMinLine: false, showMaxLine: false, lineStyle: { color: colours.text, opacity: 0.2 } },
    axisLabel: { inside: true, color: colours.text, showMinLabel: false, showMaxLabel: false, ...label },
  });
  return {
    animation: false,
    textStyle: { color: colours.text, fontFamily: font },
    grid: { left: 0, right: 0, top: 0, bottom: 0, outerBoundsMode: 'none' },
    tooltip: {
      ...tooltipStyle(colours),
      formatter: ({ data: { place } }: { data: PlaceItem }) => echarts.format.encodeHTML(textOf(place)),
    },
    // Beside the lines.
    xAxis: axis({ align: 'left', padding: [0, 4] }),
    yAxis: axis({ verticalAlign: 'bottom' }),
    series: [
      {
        id: 'coasts',
        type: 'custom',
        silent: true,
        z: 1,
        renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawApi) => {
          const { ring = [], isLand } = coasts[dataIndex] ?? {};
          return {
            type: 'polygon',
            shape: { points: ring.map((position) => api.coord(position)) },
            style: { fill: isLand ? colours.land : colours.sea, stroke: colours.text, lineWidth: 0.5 },
          };
        },
      },
      { id: 'places', type: 'scatter', z: 4 },
      {
        id: 'names',
        type: 'scatter',
        z: 4,
        silent: true,
        symbolSize: PLACE,
        itemStyle: { color: 'transparent' },
        label: { show: true, formatter: '{b}', position: 'top', color: colours.text },
        labelLayout: { hideOverlap: true },
      },
    ],
  };
}

/** The part of the option with the area that the map shows: places are as large as their usual distance, within limits. */
export function areaOption(
  area: MapArea,
  frame: MapFrame,
  spacing: number,
  coasts: readonly Coast[],
  colours: Colours,
): ChartOption {
  const { west, east, south, north } = endsOf(area, frame);
  const least = Math.max(PLACE - frame.places.length / PLACES_OF_PIXEL, MIN_PLACE);
  const size = Math.round(Math.min(Math.max(spacing / area.degrees, least), PLACE));
  const hasCoasts = north - south >= MIN_COASTS;
  const visible = frame.places.filter(
    ({ longitude, latitude }) => longitude >= west && longitude <= east && latitude >= south && latitude <= north,
  );
  return {
    backgroundColor: hasCoasts ? colours.sea : colours.land,
    xAxis: {
      min: west,
      max: east,
      splitNumber: Math.ceil(frame.width / 150),
      axisLabel: { formatter: labelsUpTo(Math.min(east - (LABEL.width * area.degrees) / frame.aspect, 180), 'E', 'W') },
    },
    yAxis: {
      min: south,
      max: north,
      splitNumber: Math.ceil(frame.height / 100),
      axisLabel: { formatter: labelsUpTo(Math.min(north - LABEL.height * area.degrees, 90), 'N', 'S') },
    },
    series: [
      { id: 'coasts', data: hasCoasts ? coasts.map(() => [area.longitude, area.latitude]) : [] },
      { id: 'places', symbolSize: size, itemStyle: { borderWidth: size < PLACE ? 0.5 : 1 } },
      { id: 'names', data: visible.length < MAX_NAMES ? visible.map(itemOf) : [] },
    ],
  };
}

/**
 * The part of the option with the places: each in the colour of its value, hollow without one, or all in one colour where no values
 * are shown. Outliers are triangles. Values that differ most from the middle of the scale are on top.
 */
export function placesOption(places: readonly Place[], found: PlaceValues | undefined, colours: Colours) {
  const distanceOf = (value = Number.NaN) =>
    found === undefined || Number.isNaN(value) ? -1 : Math.abs(value - (found.min + found.max) / 2);
  const items = places.map((each, place) => {
    const value = found?.values[place] ?? Number.NaN;
    const side = found === undefined ? 0 : outlierSide(found, value);
    return {
      ...itemOf(each),
      place,
      distance: distanceOf(value),
      ...(side !== 0 && { symbol: 'triangle', symbolSize: OUTLIER, symbolRotate: side > 0 ? 0 : 180 }),
      itemStyle: { color: colourOf(value, found, colours) },
    };
  });
  return {
    series: {
      id: 'places',
      itemStyle: { opacity: 1, borderColor: colours.text },
      data: items.sort((a, b) => a.distance - b.distance),
    },
  } satisfies ChartOption;
}

function itemOf({ label, longitude, latitude }: Place) {
  return { name: label, value: [longitude, latitude] };
}

function colourOf(value: number, found: PlaceValues | undefined, colours: Colours): string | undefined {
  if (found === undefined) return colours.lines[0];
  return Number.isNaN(value) ? colours.paper : valueColour(colours, found, value);
}

/** Labels of longitudes or latitudes that fit into the map, which may show more than the world. */
function labelsUpTo(highest: number, positive: string, negative: string) {
  const lowest = positive === 'E' ? -180 : -90;
  return (degrees: number) => {
    if (degrees < lowest || degrees > highest) return '';
    return `${Math.abs(degrees)}°${degrees === 0 ? '' : ` ${degrees > 0 ? positive : negative}`}`;
  };
}
